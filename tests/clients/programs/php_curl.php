<?php
[, $url, $seconds] = $argv;
$curl = curl_init($url);
curl_setopt($curl, CURLOPT_TIMEOUT, (int)$seconds);
curl_setopt($curl, CURLOPT_CAINFO, getenv("SSL_CERT_FILE"));
if (!curl_exec($curl))
	exit(curl_errno($curl));
