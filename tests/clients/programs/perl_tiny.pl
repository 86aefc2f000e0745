use HTTP::Tiny;
my $agent = HTTP::Tiny->new(timeout => $ARGV[1], verify_SSL => 1,
	SSL_options => { SSL_ca_file => $ENV{SSL_CERT_FILE} });
my $answer = $agent->get($ARGV[0]);
die $answer->{status} . "\n" unless $answer->{success};
print $answer->{content};
