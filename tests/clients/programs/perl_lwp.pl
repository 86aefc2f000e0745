use LWP::UserAgent;
HTTP::Message::decodable();    # loads now what it else loads between handshake and request
my $agent = LWP::UserAgent->new(timeout => $ARGV[1], ssl_opts => { SSL_ca_file => $ENV{SSL_CERT_FILE} });
my $answer = $agent->get($ARGV[0]);
die $answer->code . "\n" unless $answer->is_success;
print $answer->content;
