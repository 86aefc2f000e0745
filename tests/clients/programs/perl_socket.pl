# Time-outs of IO::Socket are for connecting only; reading waits in select.
use IO::Select;
my ($class, $host, $port, $seconds) = @ARGV;
eval "require $class" or die;
my $connection = $class->new(PeerAddr => $host, PeerHost => $host, PeerPort => $port, Timeout => $seconds)
	or die "refused\n";
$connection->syswrite("GET / HTTP/1.0\r\n\r\n");
my ($all, $part) = ("");
my $select = IO::Select->new($connection);
while ($select->can_read($seconds)) {
	$connection->sysread($part, 4096) or last;
	$all .= $part;
}
$all or die "time-out\n";
print +(split /\r\n\r\n/, $all, 2)[1];
