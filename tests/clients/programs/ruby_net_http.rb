require "net/http"
url, seconds = URI(ARGV[0]), ARGV[1].to_f
begin
  Net::HTTP.start(url.host, url.port, use_ssl: url.scheme == "https", open_timeout: seconds,
                  read_timeout: seconds, max_retries: 0) do |http|
    print http.get(url.path).body
  end
rescue SystemCallError, Timeout::Error => error
  abort error.class.name
end
