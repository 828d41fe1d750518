import Testing

@testable import HTTPModel

@Suite("The client that trusted proxies tell of")
struct ForwardedClientTests {
    private static func client(
        _ fields: HTTPFields, by header: ClientHeader,
        trusting entries: [String] = ["10.0.0.0/8", "fd00::/8"]
    ) throws -> ForwardedClient? {
        try TrustedProxies(entries).client(of: fields, by: header)
    }

    /// The client and the hops behind it; `peer` if the peer is the client.
    private static func chain(_ fields: HTTPFields, by header: ClientHeader) throws -> String {
        guard let client = try client(fields, by: header) else { return "peer" }
        return ([client.address?.description ?? "peer"] + client.hops.map(\.description)).joined(
            separator: " < ")
    }

    private static func fields(_ name: HTTPFieldName, _ lines: [String]) -> HTTPFields {
        var fields = HTTPFields()
        for line in lines { fields.append(name, line) }
        return fields
    }

    @Test(
        "X-Forwarded-For: the first untrusted address from the right is the client, and what is left of it does not count",
        arguments: [
            ([], "peer"), ([""], "peer"), ([" , ,"], "peer"),
            (["203.0.113.9"], "203.0.113.9"),
            (["6.6.6.6, 203.0.113.9"], "203.0.113.9"),
            (["6.6.6.6, 203.0.113.9, 10.0.0.2"], "203.0.113.9 < 10.0.0.2"),
            (["6.6.6.6", "203.0.113.9,10.0.0.3", "10.0.0.2"], "203.0.113.9 < 10.0.0.3 < 10.0.0.2"),
            // All are trusted: the leftmost.
            (["10.0.0.3, 10.0.0.2"], "10.0.0.3 < 10.0.0.2"),
            (["203.0.113.9:4711"], "203.0.113.9"), (["[2001:db8::1]:443"], "2001:db8::1"),
            (["[2001:db8::1]"], "2001:db8::1"), (["2001:db8::1"], "2001:db8::1"),
            (["::ffff:203.0.113.9"], "203.0.113.9"),
            (["203.0.113.9, ::ffff:10.0.0.2"], "203.0.113.9 < 10.0.0.2"),
            (["\t203.0.113.9 ,, 10.0.0.2,"], "203.0.113.9 < 10.0.0.2"),
        ] as [([String], String)])
    func xForwardedFor(_ lines: [String], _ expected: String) throws {
        #expect(try Self.chain(Self.fields(.xForwardedFor, lines), by: .xForwardedFor) == expected)
    }

    @Test(
        "X-Forwarded-For: behind an element that is not an address, the last trusted hop is the client",
        arguments: [
            "unknown", "_hidden", "localhost", "203.0.113", "203.0.113.9:", "203.0.113.9:65536",
            "203.0.113.9:8o",
            "203.0.113.9.", "2001:db8::1%eth0", "[2001:db8::1", "2001:db8::1]", "[203.0.113.9]:80", "[]",
            "\"203.0.113.9\"",
            "203.0.113.9 10.0.0.3", "1:2:3:4:5:6:7:8:80", "0x7f.0.0.1", "2130706433",
        ])
    func malformedElement(_ element: String) throws {
        let fields = Self.fields(.xForwardedFor, ["198.51.100.1, \(element), 10.0.0.2"])
        #expect(try Self.chain(fields, by: .xForwardedFor) == "10.0.0.2")
        #expect(try Self.chain(Self.fields(.xForwardedFor, [element]), by: .xForwardedFor) == "peer")
    }

    @Test("32 hops are read, and the last of them is the client if there are more")
    func manyHops() throws {
        func line(_ hops: Int) -> String {
            (["203.0.113.9"] + (1...hops).reversed().map { "10.0.0.\($0)" }).joined(separator: ",")
        }
        let most = try #require(try Self.client(Self.fields(.xForwardedFor, [line(31)]), by: .xForwardedFor))
        #expect(most.address == IPAddress("203.0.113.9"))
        #expect(most.hops.count == 31)
        let tooMany = try #require(
            try Self.client(Self.fields(.xForwardedFor, [line(32)]), by: .xForwardedFor))
        #expect(tooMany.address == IPAddress("10.0.0.32"))
        #expect(tooMany.hops.count == 31)
    }

    @Test(
        "Forwarded: the first untrusted address from the right is the client, with the scheme and host of its element",
        arguments: [
            ([], "peer"), (["for=203.0.113.9"], "203.0.113.9"),
            (["For=203.0.113.9;Proto=HTTPS;Host=shop.example"], "203.0.113.9 https shop.example"),
            (
                ["for=203.0.113.9;proto=https, for=10.0.0.2;proto=http;host=inner"],
                "203.0.113.9 < 10.0.0.2 https"
            ),
            (["for=6.6.6.6", "for=\"[2001:db8::1]:4711\";by=10.0.0.2"], "2001:db8::1"),
            (["for=\"203.0.113.9:_port\";host=\"shop.example:8443\""], "203.0.113.9 shop.example:8443"),
            (["for=203.0.113.9;;ext=\"a,b;c=\\\"d\\\"\";"], "203.0.113.9"),
            // The client wrote an open quote, and the proxy appended to its line.
            (["for=\"6.6.6.6, for=203.0.113.9"], "203.0.113.9"),
            (["ext=\"for=6.6.6.6, for=203.0.113.9;proto=http"], "203.0.113.9 http"),
            (["for=203.0.113.9;ext=\"x, for=6.6.6.6\""], "203.0.113.9"),
            // The proxy knows the scheme and does not tell the client.
            (["for=unknown;proto=https"], "peer https"), (["for=_gazonk, for=10.0.0.2"], "10.0.0.2"),
            (["proto=https;host=a"], "peer https a"), (["for=\"unknown:_p\""], "peer"),
            // What a Host field may not contain, and schemes of others.
            (["for=203.0.113.9;proto=wss;host=\"a b\""], "203.0.113.9"),
            (["for=203.0.113.9;host=\"a,b\""], "203.0.113.9"),
        ] as [([String], String)])
    func forwarded(_ lines: [String], _ expected: String) throws {
        let fields = Self.fields(.forwarded, lines)
        let client = try Self.client(fields, by: .forwarded)
        let text = [try Self.chain(fields, by: .forwarded), client?.scheme, client?.host].compactMap(\.self)
        #expect(text.joined(separator: " ") == expected)
    }

    @Test(
        "Forwarded: behind a malformed element, the last trusted hop is the client",
        arguments: [
            "203.0.113.9", "for", "for=", "for=203.0.113.9:80", "for=2001:db8::1", "for =203.0.113.9",
            "for= 203.0.113.9",
            "for=203.0.113.9;for=203.0.113.9", "for=203.0.113.9 proto=https", "for=\"203.0.113.9",
            "for=\"[203.0.113.9]\"",
            "for=\"\"", "=203.0.113.9", "for=203.0.113.9;=b",
            "for=203.0.113.9;ext=\"\(String(repeating: "a", count: 512))\"",
        ])
    func malformedForwarded(_ element: String) throws {
        let fields = Self.fields(.forwarded, ["for=198.51.100.1, \(element), for=10.0.0.2"])
        #expect(try Self.chain(fields, by: .forwarded) == "10.0.0.2")
    }

    @Test(
        "X-Real-IP: its only line is the client",
        arguments: [
            ([], "peer"), (["203.0.113.9"], "203.0.113.9"), (["10.0.0.2"], "10.0.0.2"),
            (["2001:db8::1"], "2001:db8::1"),
            (["203.0.113.9", "203.0.113.9"], "peer"), (["203.0.113.9, 10.0.0.2"], "peer"),
            (["unknown"], "peer"),
        ] as [([String], String)])
    func xRealIP(_ lines: [String], _ expected: String) throws {
        #expect(try Self.chain(Self.fields(.xRealIP, lines), by: .xRealIP) == expected)
    }

    @Test("The rightmost X-Forwarded-Proto and X-Forwarded-Host count, if a gateway's URL may have them")
    func schemeAndHost() throws {
        for (header, name) in [
            (ClientHeader.xForwardedFor, HTTPFieldName.xForwardedFor), (.xRealIP, .xRealIP),
        ] {
            var fields: HTTPFields = [
                name: "203.0.113.9", .xForwardedProto: "http", .xForwardedHost: "evil.example",
            ]
            fields.append(.xForwardedProto, "http , HTTPS")
            fields.append(.xForwardedHost, "other.example, shop.example:8443 ")
            let client = try #require(try Self.client(fields, by: header))
            #expect(client.scheme == "https")
            #expect(client.host == "shop.example:8443")
            for (proto, host) in [
                ("wss", "a b"), ("", ""), ("https,", "a,"), ("http s", "a/b"), ("http", "user@a"),
            ] {
                let client = try Self.client(
                    [name: "203.0.113.9", .xForwardedProto: proto, .xForwardedHost: host], by: header)
                #expect(client?.scheme == (proto == "http" ? "http" : nil))
                #expect(client?.host == nil)
            }
        }
        let alone = try #require(try Self.client([.xForwardedProto: "https"], by: .xForwardedFor))
        #expect(alone.address == nil)
        #expect(alone.scheme == "https")
    }

    @Test("Only the chosen source is read")
    func oneSource() throws {
        let fields: HTTPFields = [
            .xForwardedFor: "1.1.1.1", .forwarded: "for=2.2.2.2", .xRealIP: "3.3.3.3",
            .xForwardedProto: "https",
        ]
        #expect(try Self.chain(fields, by: .xForwardedFor) == "1.1.1.1")
        #expect(try Self.chain(fields, by: .forwarded) == "2.2.2.2")
        #expect(try Self.client(fields, by: .forwarded)?.scheme == nil)
        #expect(try Self.chain(fields, by: .xRealIP) == "3.3.3.3")
        #expect(try Self.client(fields, by: .proxyProtocol) == nil)
    }
}

@Suite("What upstreams learn of a client")
struct ClientForwardingTests {
    private static func fields(
        _ client: ForwardedClient?, peer: String? = "10.0.0.1", scheme: String = "https",
        host: String? = "shop.example",
        in form: ClientForwarding
    ) -> [String] {
        ClientFacts(client, peer: peer.flatMap { IPAddress($0) }, scheme: scheme, host: host).fields(in: form)
            .map { "\($0.name): \($0.value)" }
    }

    private static let client = ForwardedClient(
        IPAddress("2001:db8::9"), hops: [IPAddress(ipv4: 0x0a00_0003), IPAddress(ipv4: 0x0a00_0002)])

    @Test("Nothing in the form none")
    func nothing() {
        #expect(Self.fields(Self.client, in: .none) == [])
    }

    @Test("X-Forwarded-For lists the client, the trusted proxies behind it, and the peer")
    func xForwarded() {
        #expect(
            Self.fields(Self.client, in: .xForwarded) == [
                "X-Forwarded-For: 2001:db8::9, 10.0.0.3, 10.0.0.2, 10.0.0.1", "X-Forwarded-Proto: https",
                "X-Forwarded-Host: shop.example",
            ])
        #expect(
            Self.fields(nil, peer: "::ffff:203.0.113.9", scheme: "http", host: nil, in: .xForwarded) == [
                "X-Forwarded-For: 203.0.113.9", "X-Forwarded-Proto: http",
            ])
        // A proxy told the scheme and not the client.
        #expect(
            Self.fields(ForwardedClient(nil, scheme: "https"), host: nil, in: .xForwarded) == [
                "X-Forwarded-For: 10.0.0.1", "X-Forwarded-Proto: https",
            ])
        #expect(Self.fields(nil, peer: nil, host: nil, in: .xForwarded) == ["X-Forwarded-Proto: https"])
    }

    @Test("Forwarded has the scheme and host in the client's element, with quotes where they are needed")
    func forwarded() {
        #expect(
            Self.fields(Self.client, host: "shop.example:8443", in: .forwarded) == [
                "Forwarded: for=\"[2001:db8::9]\";proto=https;host=\"shop.example:8443\", for=10.0.0.3, for=10.0.0.2, for=10.0.0.1"
            ])
        #expect(
            Self.fields(nil, in: .forwarded) == ["Forwarded: for=10.0.0.1;proto=https;host=shop.example"])
        #expect(
            Self.fields(nil, peer: nil, host: "[::1]", in: .forwarded) == [
                "Forwarded: for=unknown;proto=https;host=\"[::1]\""
            ])
    }

    @Test("What one gateway sends, another one reads")
    func again() throws {
        let trusted = try TrustedProxies(["10.0.0.0/8"])
        for form in [ClientForwarding.xForwarded, .forwarded] {
            let facts = ClientFacts(Self.client, peer: IPAddress("10.0.0.1"), scheme: "https", host: "a:1")
            let header: ClientHeader = form == .forwarded ? .forwarded : .xForwardedFor
            let read = try #require(trusted.client(of: facts.fields(in: form), by: header))
            #expect(read.address == Self.client.address)
            #expect(read.hops == Self.client.hops + [IPAddress(ipv4: 0x0a00_0001)])
            #expect(read.scheme == "https")
            #expect(read.host == "a:1")
        }
    }

    @Test("The fields by which proxies tell of a client are known in any case, with - and _ as equals")
    func names() {
        for name: HTTPFieldName in [
            "forwarded", "X-FORWARDED-FOR", "x-forwarded-port", "X-Real-Ip", "X-Forwarded-Prefix",
            "X_Forwarded_For", "x-forwarded_proto", "X_Real-IP",
        ] {
            #expect(ClientForwarding.isField(name), "\(name)")
        }
        for name: HTTPFieldName in [
            "Forward", "X-Forwarded", "X-Forwarded-", "X-Real-IPs", "Via", "X-Forward-For",
        ] {
            #expect(!ClientForwarding.isField(name), "\(name)")
        }
    }
}
