<?php
[, $host, $port, $seconds] = $argv;
mysqli_report(MYSQLI_REPORT_OFF);
$base = mysqli_init();
$base->options(MYSQLI_OPT_CONNECT_TIMEOUT, $seconds);
$base->options(MYSQLI_OPT_READ_TIMEOUT, $seconds);
if (!@$base->real_connect($host, "root", "", "", (int)$port))
	exit("no\n");
echo $base->query("select 'hello'")->fetch_row()[0], "\n";
$base->close();
