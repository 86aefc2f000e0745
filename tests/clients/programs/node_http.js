const [url, seconds] = process.argv.slice(2);
const request = require(url.split(":")[0]).get(url, { timeout: seconds * 1000, agent: false }, answer => {
	answer.pipe(process.stdout);
});
request.on("timeout", () => request.destroy(new Error("time-out")));
request.on("error", error => { console.error(error.code || error.message); process.exitCode = 1; });
