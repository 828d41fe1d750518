import GatewayCore
import GatewayHTTP
import HTTPModel
import Networking
import SampleUpstreams

extension Command {
    static func serve(_ arguments: Arguments) throws(UsageError) -> Int32 {
        var configuration = try configuration(arguments)
        configuration.upstreams = try upstreams(arguments.all("upstream"))
        configuration.connections.tlsByUpstream = try UpstreamTLS.configurations(
            arguments, of: configuration.upstreams)
        let concurrency = try concurrency(arguments.all("upstream-concurrency"))
        return GatewayServer.run(configuration) { gateway in
            AppEndpoints.declare(on: gateway)
            for (name, count) in concurrency { gateway.upstream(name) { $0.concurrency = count } }
        }
    }

    /// Parses `diary=http://...` to `["diary": "http://..."]`. A repeated name has several addresses.
    static func upstreams(_ texts: [String]) throws(UsageError) -> [String: UpstreamURLs] {
        var upstreams: [String: UpstreamURLs] = [:]
        for text in texts {
            guard let (name, url) = named(text) else {
                throw UsageError(message: "--upstream takes NAME=URL, not '\(text)'")
            }
            try checkName(name, "--upstream")
            let urls = (upstreams[name]?.all ?? []) + [url]
            do {
                _ = try Upstream(name: name, baseURLs: urls)
            } catch {
                throw UsageError(message: error.description)
            }
            upstreams[name] = UpstreamURLs(urls)
        }
        return upstreams
    }

    /// Parses `diary=100` to `["diary": 100]`.
    static func concurrency(_ texts: [String]) throws(UsageError) -> [String: Int] {
        var limits: [String: Int] = [:]
        for text in texts {
            guard let (name, value) = named(text), let count = Int(value), count > 0 else {
                throw UsageError(
                    message: "--upstream-concurrency takes NAME=COUNT, at least 1, not '\(text)'")
            }
            try checkName(name, "--upstream-concurrency")
            guard limits.updateValue(count, forKey: name) == nil else {
                throw UsageError(message: "--upstream-concurrency sets '\(name)' twice")
            }
        }
        return limits
    }

    private static func checkName(_ name: String, _ flag: String) throws(UsageError) {
        guard SampleUpstream(rawValue: name) == nil else { return }
        let known = SampleUpstream.allCases.map(\.rawValue).joined(separator: ", ")
        throw UsageError(message: "\(flag) sets the unknown '\(name)'; the upstreams are \(known)")
    }

    /// Splits `NAME=VALUE` at the first equals sign; nil if either side is empty.
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

    /// Returns the URL to check: the argument, or `--host` and `--port`, with loopback if they mean all interfaces.
    static func healthURL(_ arguments: Arguments) throws(UsageError) -> String {
        if let url = arguments.positional {
            do {
                _ = try HTTPURL(url)
            } catch {
                throw UsageError(message: "'\(url)' is not a valid URL: \(error)")
            }
            return url
        }
        let port = try port(arguments) ?? 8080
        switch try host(arguments) {
        case nil, "0.0.0.0": return "http://127.0.0.1:\(port)"
        case "::": return "http://[::1]:\(port)"
        case let host?: return host.contains(":") ? "http://[\(host)]:\(port)" : "http://\(host):\(port)"
        }
    }
}
