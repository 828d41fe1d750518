/// What a plain message becomes on the other side of the proxy of `/p/{path...}` at `/base`.
enum RelayRules {
    private static let requestFields: Set<String> = [
        "accept", "accept-encoding", "accept-language", "cache-control", "pragma", "content-type",
        "content-encoding",
        "content-language", "content-disposition", "content-range", "content-digest", "repr-digest", "range",
        "if-match",
        "if-none-match", "if-modified-since", "if-unmodified-since", "if-range",
    ]
    private static let responseFields: Set<String> = [
        "content-type", "content-encoding", "content-language", "content-disposition", "content-range",
        "content-digest",
        "repr-digest", "accept-ranges", "cache-control", "expires", "age", "etag", "last-modified", "vary",
        "allow",
        "retry-after", "www-authenticate",
    ]
    private static let ownRequestFields: Set<String> = [
        "host", "via", "x-request-id", "traceparent", "tracestate", "content-length", "transfer-encoding",
        "expect",
    ]
    private static let ownResponseFields: Set<String> = [
        "date", "x-request-id", "x-content-type-options", "content-length", "transfer-encoding", "connection",
        "location",
    ]
    /// Fields of a response whose addresses are mapped.
    private static let addressFields = ["content-location", "link"]
    private static let methods: Set<String> = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]

    /// The target that the upstream gets; nil if the request is one that the gateway may refuse.
    static func target(of request: PlainMessage) -> String? {
        let parts = request.start[1].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard methods.contains(request.start[0]), parts[0].hasPrefix("/p/"),
            parts[0].utf8.allSatisfy(isPlain),
            !request.start[1].contains("#")
        else { return nil }
        let rest = parts[0].dropFirst(3)
        let segments = rest.split(separator: "/", omittingEmptySubsequences: false)
        guard !rest.hasPrefix("/"), !segments.contains("."), !segments.contains("..") else { return nil }
        let expectations = request.values("expect")
        guard expectations.isEmpty || expectations == ["100-continue"], request.values("via").isEmpty,
            request.values("x-request-id").isEmpty, request.values("upgrade").isEmpty,
            request.values("prefer").isEmpty
        else { return nil }
        return "/base/" + rest + request.start[1].dropFirst(parts[0].count)
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case 48...57, 65...90, 97...122: true
        default: "._~/-".utf8.contains(byte)
        }
    }

    /// Fails unless `seen`, at the upstream, is what became of `sent`.
    static func check(_ seen: PlainMessage, _ sent: PlainMessage, target: String, hasBody: Bool) {
        guard seen.start == [sent.start[0], target, "HTTP/1.1"] else {
            fail("the upstream got \(seen.start)")
        }
        guard !hasBody || seen.body == sent.body else { fail("the upstream got another body: \(seen.body)") }
        var expected = passed(sent, requestFields)
        if !expected.contains(where: { $0.name == "accept-encoding" }) {
            expected.append(PlainMessage.Field(name: "accept-encoding", value: "identity"))
        }
        compare(seen.fields.filter { !ownRequestFields.contains($0.name) }, expected, "the upstream")
    }

    /// Fails unless `seen`, a request whose origin is in doubt, is harmless.
    static func checkHarmless(_ seen: PlainMessage) {
        guard methods.contains(seen.start[0]), seen.start[1].hasPrefix("/base/") else {
            fail("it got \(seen.start)")
        }
        let path = seen.start[1].prefix { $0 != "?" }.lowercased().replacing("%2e", with: ".").replacing(
            "%3b", with: ";")
        for segment in path.split(separator: "/").map({ $0.prefix { $0 != ";" } })
        where segment == ".." || segment == "." {
            fail("the path leaves its prefix: \(path)")
        }
        guard !path.contains("\\"), !path.contains("%5c"), !path.contains("%2f"), !path.contains("%00") else {
            fail("the path is ambiguous: \(path)")
        }
        for field in seen.fields where !requestFields.union(ownRequestFields).contains(field.name) {
            fail("the upstream got \(field)")
        }
    }

    /// Fails unless `seen`, at the client, is what became of `sent`.
    static func check(_ seen: PlainMessage, _ sent: PlainMessage, isHead: Bool) {
        guard seen.status == sent.status else { fail("the client got \(seen.start), not \(sent.start)") }
        guard seen.body == sent.body else { fail("the client got another body: \(seen.body)") }
        compare(
            seen.fields.filter { !ownResponseFields.contains($0.name) && !addressFields.contains($0.name) },
            passed(sent, responseFields),
            "the client")
        for name in addressFields {
            checkAddresses(seen.values(name), passed(sent, [name]).map(\.value), name)
        }
        if isHead, sent.status != 204, sent.status != 304, sent.framing != .chunked {
            let length = sent.values("content-length")
            guard length.isEmpty || seen.values("content-length").map({ Int($0) }) == length.map({ Int($0) })
            else {
                fail("the client got another length: \(seen.fields)")
            }
        }
    }

    /// Fails if a response of the gateway has a field that must not pass.
    static func checkHarmless(response seen: PlainMessage) {
        let known = responseFields.union(ownResponseFields).union(addressFields).union([
            "proxy-status", "allow", "cache-control",
        ])
        for field in seen.fields where !known.contains(field.name) { fail("the client got \(field)") }
    }

    /// Fails unless plain paths of the upstream became the gateway's, or were left out if it does not have
    /// them.
    private static func checkAddresses(_ seen: [String], _ sent: [String], _ name: String) {
        let expected = sent.map { value -> [String]? in
            var path = value[...]
            if name == "link" {
                guard value.hasPrefix("<"), value.hasSuffix(">") else { return nil }
                path = value.dropFirst().dropLast()
            }
            let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
            guard path.hasPrefix("/"), path != "/base", !segments.isEmpty,
                segments.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(isLetterOrDigit) })
            else { return nil }
            guard path.hasPrefix("/base/") else { return [] }
            let mapped = "/p/\(path.dropFirst("/base/".count))"
            return [name == "link" ? "<\(mapped)>" : mapped]
        }
        // Of several values of Content-Location, one counts.
        guard !expected.contains(nil), name == "link" || expected.count <= 1 else { return }
        let mapped = expected.flatMap { $0 ?? [] }
        guard seen == mapped else { fail("the client got \(name) \(seen), not \(mapped)") }
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: false
        }
    }

    private static func passed(_ message: PlainMessage, _ names: Set<String>) -> [PlainMessage.Field] {
        let named = message.connectionNames
        return message.fields.filter { names.contains($0.name) && !named.contains($0.name) }
    }

    private static func compare(_ seen: [PlainMessage.Field], _ expected: [PlainMessage.Field], _ who: String)
    {
        guard seen.sorted(by: order) == expected.sorted(by: order) else {
            fail("\(who) got the fields \(seen), not \(expected)")
        }
    }

    private static func order(_ left: PlainMessage.Field, _ right: PlainMessage.Field) -> Bool {
        (left.name, left.value) < (right.name, right.value)
    }

    static func fail(_ message: String) -> Never { fatalError(message) }
}
