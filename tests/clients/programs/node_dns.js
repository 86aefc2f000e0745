const [url, seconds, dns] = process.argv.slice(2);
const resolver = new (require("dns").Resolver)();
resolver.setServers(["127.0.0.1:" + dns]);
resolver.resolve4("page.test", (error, addresses) => {
	if (error) throw error;
	const port = new URL(url).port;
	const request = require("http").get({ host: addresses[0], port, timeout: seconds * 1000 },
		answer => answer.pipe(process.stdout));
	request.on("timeout", () => request.destroy(new Error("time-out")));
	request.on("error", error => { console.error(error.code || error.message); process.exitCode = 1; });
});
