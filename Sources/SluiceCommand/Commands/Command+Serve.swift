import GatewayHTTP

extension Command {
    static func serve(_ arguments: Arguments) throws(UsageError) -> Int32 {
        var configuration = try configuration(arguments)
        configuration.upstreams = try upstreams(arguments.all("upstream"))
        configuration.connections.tlsByUpstream = try UpstreamTLS.configurations(
            arguments, of: configuration.upstreams)
        return GatewayServer.run(configuration) { gateway in
            AppEndpoints.declare(on: gateway)
        }
    }

    /// `["diary": "http://..."]` for `diary=http://...`. Whether such an upstream exists, and whether the
    /// address is one, is for the gateway to say.
    static func upstreams(_ texts: [String]) throws(UsageError) -> [String: String] {
        var upstreams: [String: String] = [:]
        for text in texts {
            guard let (name, url) = named(text) else {
                throw UsageError(message: "--upstream takes NAME=URL, not '\(text)'")
            }
            guard upstreams.updateValue(url, forKey: name) == nil else {
                throw UsageError(message: "--upstream names '\(name)' twice")
            }
        }
        return upstreams
    }

    /// The two sides of the first equals sign, where both say something.
    static func named(_ text: String) -> (name: String, value: String)? {
        guard let equals = text.firstIndex(of: "="), equals != text.startIndex else { return nil }
        let value = text[text.index(after: equals)...]
        return value.isEmpty ? nil : (String(text[..<equals]), String(value))
    }

    static func health(_ arguments: Arguments) throws(UsageError) -> Int32 {
        guard let complaint = HealthProbe.check(try healthURL(arguments)) else { return 0 }
        Announcement.complain("not ready: \(complaint)")
        return 1
    }

    /// The URL given, or the one that `--host` and `--port` (or their variables) make. An address that means
    /// every interface is asked at loopback.
    static func healthURL(_ arguments: Arguments) throws(UsageError) -> String {
        if let url = arguments.positional { return url }
        let port = try port(arguments) ?? 8080
        switch try host(arguments) {
        case nil, "0.0.0.0": return "http://127.0.0.1:\(port)"
        case "::": return "http://[::1]:\(port)"
        case let host?: return host.contains(":") ? "http://[\(host)]:\(port)" : "http://\(host):\(port)"
        }
    }
}
