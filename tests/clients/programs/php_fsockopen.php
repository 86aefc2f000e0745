<?php
[, $host, $port, $seconds] = $argv;
$connection = @fsockopen($host, $port, $error, $text, (float)$seconds);
if (!$connection)
	exit("$text\n");
stream_set_timeout($connection, $seconds);
fwrite($connection, "GET / HTTP/1.0\r\n\r\n");
echo explode("\r\n\r\n", stream_get_contents($connection) . "\r\n\r\n")[1];
fclose($connection);
