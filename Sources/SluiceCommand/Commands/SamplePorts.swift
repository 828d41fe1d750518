import EventIO
import JSONBytes
import SampleUpstreams

/// The ports of the demo's sample upstreams, one each, so that a page can call them as if they were services of their own.
struct SamplePorts: Sendable {
    private let addresses: [SampleUpstream: SocketAddress]
    private let hasLatency: Bool

    /// - Parameters:
    ///   - addresses: in the order of `SampleUpstream.allCases`.
    ///   - hasLatency: whether the upstreams wait before they answer, which pages say.
    init(_ addresses: [SocketAddress], hasLatency: Bool) {
        self.hasLatency = hasLatency
        self.addresses = Dictionary(uniqueKeysWithValues: zip(SampleUpstream.allCases, addresses))
    }

    /// Returns the addresses that the upstreams should have: the ports after the gateway's; any, if it takes any itself.
    static func wanted(at host: SocketAddress, after port: Int) -> [SocketAddress] {
        let count = SampleUpstream.allCases.count
        let first = port == 0 || port + count > 65_535 ? nil : port + 1
        return (0..<count).map { index in host.with(port: first.map { $0 + index } ?? 0) }
    }

    private func port(of upstream: SampleUpstream) -> Int { addresses[upstream]?.port ?? 0 }

    /// The base URL for the gateway, which runs on the same machine.
    func url(of upstream: SampleUpstream) -> String {
        let address = addresses[upstream] ?? .loopback()
        let isEvery = ["0.0.0.0", "::"].contains(address.host)
        let reached = isEvery ? SocketAddress.loopback(port: port(of: upstream)) : address
        return "http://\(reached)\(upstream.basePath)"
    }

    /// The sources of a Content-Security-Policy that let a page of the gateway call the upstreams at the gateway's host.
    ///
    /// - Parameter names: the host names that the gateway answers for, beside 127.0.0.1; nil for any.
    func sources(of names: [String]?) -> [String] {
        let hosts = names.map { ["127.0.0.1"] + $0 } ?? ["*"]
        return hosts.flatMap { host in SampleUpstream.allCases.map { "http://\(host):\(port(of: $0))" } }
    }

    /// `{"simulatesLatency":true,"addresses":{"diary":{"port":8081,"path":""},...}}`
    var document: JSONFragment {
        var composer = JSONComposer()
        composer.beginObject()
        composer.key("simulatesLatency")
        composer.bool(hasLatency)
        composer.key("addresses")
        composer.beginObject()
        for upstream in SampleUpstream.allCases {
            composer.key(upstream.rawValue)
            composer.beginObject()
            composer.key("port")
            composer.int(port(of: upstream))
            composer.key("path")
            composer.string(upstream.basePath)
            composer.endObject()
        }
        composer.endObject()
        composer.endObject()
        return composer.fragment()
    }

    /// The line after the gateway's address, which names the ports.
    var note: String {
        let ports = SampleUpstream.allCases.map { "\(port(of: $0)) (\($0.rawValue))" }.joined(separator: ", ")
        return "sample upstreams on ports \(ports); a container publishes them under the same numbers"
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
