const [host, port, seconds] = process.argv.slice(2);
const connection = require("net").connect(port, host, () => connection.write("GET / HTTP/1.0\r\n\r\n"));
connection.setTimeout(seconds * 1000, () => connection.destroy(new Error("time-out")));
connection.on("data", data => process.stdout.write(data));
connection.on("error", error => { console.error(error.code || error.message); process.exitCode = 1; });
