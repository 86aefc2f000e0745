%% page URL SECONDS
main([Url, Seconds]) ->
	application:ensure_all_started(ssl),
	inets:start(),
	%% Now, what it else loads between the handshake and the request.
	[code:ensure_loaded(Module) || Application <- [inets, ssl, public_key, crypto, asn1],
		{ok, Modules} <- [application:get_key(Application, modules)], Module <- Modules],
	Limit = list_to_integer(Seconds) * 1000,
	Options = [{timeout, Limit}, {connect_timeout, Limit}, {ssl, [{verify, verify_none}]}],
	case httpc:request(get, {Url, [{"connection", "close"}]}, Options, [{body_format, binary}]) of
		{ok, {_, _, Body}} -> io:put_chars(Body);
		{error, Reason} when is_atom(Reason) -> io:format("~p~n", [Reason]), halt(1);
		{error, _} -> io:format("failed~n"), halt(1)
	end.
