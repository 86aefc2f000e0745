const [url, seconds] = process.argv.slice(2);
fetch(url, { signal: AbortSignal.timeout(seconds * 1000) })
	.then(answer => answer.text())
	.then(text => process.stdout.write(text))
	.catch(error => { console.error((error.cause && error.cause.code) || error.name); process.exitCode = 1; });
