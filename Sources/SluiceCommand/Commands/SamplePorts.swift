import EventIO
import GatewayHTTP
import JSONBytes
import SampleUpstreams

/// The ports of the demo's sample upstreams, one each, so that a page can call them as if they were services
/// of their own.
struct SamplePorts: Sendable {
    private let ports: [SampleUpstream: Int]
    private let host: SocketAddress
    private let scheme: String
    private let hasLatency: Bool

    /// - Parameters:
    ///   - ports: in the order of `SampleUpstream.allCases`.
    ///   - host: the address on which the upstreams listen.
    ///   - isSecure: whether they speak TLS.
    ///   - hasLatency: whether the upstreams wait before they answer, which pages say.
    init(_ ports: [Int], at host: SocketAddress, isSecure: Bool = false, hasLatency: Bool) {
        scheme = isSecure ? "https" : "http"
        self.ports = Dictionary(uniqueKeysWithValues: zip(SampleUpstream.allCases, ports))
        self.host = host
        self.hasLatency = hasLatency
    }

    /// Returns the ports that the upstreams should have: those after the gateway's; any, if it takes any
    /// itself.
    static func wanted(after port: Int) -> [Int] {
        let count = SampleUpstream.allCases.count
        return (1...count).map { port == 0 || port + count > 65_535 ? 0 : port + $0 }
    }

    private func port(of upstream: SampleUpstream) -> Int { ports[upstream] ?? 0 }

    /// The base URL for the gateway, which runs on the same machine.
    func url(of upstream: SampleUpstream) -> String {
        let reached = ["0.0.0.0", "::"].contains(host.host) ? SocketAddress.loopback() : host
        return "\(scheme)://\(reached.with(port: port(of: upstream)))\(upstream.basePath)"
    }

    /// The sources of a Content-Security-Policy that let a page of the gateway call the upstreams at the
    /// gateway's host.
    ///
    /// - Parameter names: the host names that the gateway answers for, beside 127.0.0.1; nil for any.
    func sources(of names: [String]?) -> [String] {
        let hosts = names.map { ["127.0.0.1"] + $0 } ?? ["*"]
        return hosts.flatMap { host in SampleUpstream.allCases.map { "\(scheme)://\(host):\(port(of: $0))" } }
    }

    /// `{"simulatesLatency":true,"addresses":{"diary":{"port":8081,"path":""},...}}`
    var document: JSONFragment {
        var addresses = JSONComposer()
        addresses.beginObject()
        for upstream in SampleUpstream.allCases {
            let address: JSONLiteral = [
                "port": .init(port(of: upstream)), "path": .init(upstream.basePath),
            ]
            addresses.key(upstream.rawValue)
            addresses.fragment(address.fragment)
        }
        addresses.endObject()
        let document: JSONLiteral = [
            "simulatesLatency": .init(hasLatency), "addresses": .init(addresses.fragment()),
        ]
        return document.fragment
    }

    /// The lines after the gateway's address, which name the ports and the console, if there is one.
    func note(_ gateway: GatewayServer) -> String {
        let ports = SampleUpstream.allCases.map { "\(port(of: $0)) (\($0.rawValue))" }.joined(separator: ", ")
        let note = "sample upstreams on ports \(ports); a container publishes them under the same numbers"
        return note + (gateway.consoleURL.map { "\nconsole at \($0)" } ?? "")
    }
}

extension String {
    /// Allows a page with this Content-Security-Policy to send requests to these sources, too.
    mutating func connect(to sources: [String]) {
        guard let range = firstRange(of: "connect-src 'self'") else {
            preconditionFailure("the policy of the pages has no connect-src: \(self)")
        }
        replaceSubrange(range, with: "connect-src 'self' \(sources.joined(separator: " "))")
    }
}
