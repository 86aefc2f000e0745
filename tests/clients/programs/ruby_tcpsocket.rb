require "socket"
require "timeout"
host, port, seconds = ARGV
begin
  Timeout.timeout(seconds.to_f) do
    connection = TCPSocket.new(host, port)
    connection.write("GET / HTTP/1.0\r\n\r\n")
    print connection.read.split("\r\n\r\n", 2)[1]
    connection.close
  end
rescue SystemCallError, Timeout::Error => error
  abort error.class.name
end
