<?php
[, $url, $seconds] = $argv;
$page = @file_get_contents($url, false, stream_context_create([
	"http" => ["timeout" => (float)$seconds], "ssl" => ["cafile" => getenv("SSL_CERT_FILE")]]));
if ($page === false)
	exit(1);
echo $page;
