import HTTPModel
import Locking
import NetworkingTesting
import Rx
import RxTesting
import Testing

@testable import Networking

/// What is done with n fields or parameters takes time in proportion to n.
@Suite("Requests with many fields", .noLeaks)
struct ManyFieldsTests {
    /// Expects that 16 times as many take less than 64 times as long. Quadratic time would be 256 times as
    /// long.
    ///
    /// - Parameters:
    ///   - few: enough that a quadratic part outweighs the others.
    ///   - prepare: makes what `work` needs. Its time does not count.
    private func expectLinear<Input>(
        few: Int = 1000, _ prepare: (Int) throws -> Input, _ work: (Input) throws -> Void
    ) throws {
        func time(_ count: Int) throws -> Duration {
            let input = try prepare(count)
            let start = ThreadClock.now
            try work(input)
            return ThreadClock.now - start
        }
        _ = try time(100)
        let (short, long) = (try time(few), try time(16 * few))
        #expect(long < short * 64, "\(short) and \(long)")
    }

    private func names(_ count: Int, _ name: (Int) -> String = { "X-Field-\(100_000 + $0)" }) throws
        -> [HTTPFieldName]
    {
        try (0..<count).map { try #require(HTTPFieldName(name($0))) }
    }

    private func fields(_ names: [HTTPFieldName]) -> HTTPFields {
        var fields = HTTPFields()
        for name in names { fields.append(name, "1") }
        return fields
    }

    private struct Fielded: TargetType {
        var headers: HTTPFields
        var baseURL: String { "http://api.test" }
        var path: RequestPath { "/start" }
    }

    private func provider(
        _ fields: HTTPFields = HTTPFields(), plugins: [any PluginType] = [],
        redirects: RedirectPolicy = .never
    ) -> (StubTransport, Provider<Fielded>) {
        let transport = StubTransport(
            scheduler: VirtualTime(), wallTime: nil, fields: fields, fieldsWithoutContext: [:])
        var policy = CallPolicy()
        policy.redirects = redirects
        return (transport, Provider<Fielded>(transport: transport, policy: policy, plugins: plugins))
    }

    // MARK: - Fields

    @Test("A request with many fields takes time in proportion to them")
    func target() throws {
        try expectLinear {
            fields(try names($0))
        } _: { headers in
            let call = try Outgoing.call(Anything(headers: headers))
            #expect(call.fields.count >= headers.count)
        }
    }

    @Test("Setting many fields one by one, and setting them again, takes time in proportion to them")
    func set() throws {
        try expectLinear {
            try names($0)
        } _: { names in
            var request = HTTPRequest(url: "http://api.test/")
            for value in ["1", "2"] {
                for name in names { request.headers[name] = value }
            }
            #expect(request.headers.count == names.count)
            #expect(names.allSatisfy { request.headers[$0] == "2" })
        }
    }

    @Test("Removing many fields that are not there takes time in proportion to them")
    func removeAbsent() throws {
        try expectLinear {
            try names($0)
        } _: { names in
            var fields = fields(names)
            for name in try self.names(names.count, { "X-Other-\(100_000 + $0)" }) { fields.remove(name) }
            #expect(fields.count == names.count)
        }
    }

    @Test("A target's fields replace as many of the provider in time in proportion to them")
    func merged() throws {
        try expectLinear {
            fields(try names($0))
        } _: { headers in
            let (transport, provider) = provider(headers)
            _ = Probe(provider.rx.request(Fielded(headers: headers)))
            #expect(transport.attempts.last?.call.fields.count == headers.count)
        }
    }

    @Test("A plugin that changes one of many fields takes time in proportion to them")
    func plugin() throws {
        try expectLinear {
            fields(try names($0))
        } _: { headers in
            let (transport, provider) = provider(headers, plugins: [AccessTokenPlugin { "t0k3n" }])
            _ = Probe(provider.rx.request(Fielded(headers: headers)))
            #expect(transport.attempts.last?.call.fields.count == headers.count + 1)
        }
    }

    @Test("A redirect to another origin drops many secrets in time in proportion to them")
    func redirect() throws {
        try expectLinear {
            fields(try names($0) { "X-\(100_000 + $0)-Token" })
        } _: { headers in
            let (transport, provider) = provider(redirects: .follow(hosts: ["cdn.test"]))
            transport.answer(
                .response(302, fields: [.location: "http://cdn.test/"]), .response(200))
            #expect(Probe(provider.rx.request(Fielded(headers: headers))).value?.statusCode == 200)
            #expect(transport.attempts.last?.call.fields.isEmpty == true)
        }
    }

    @Test("Names in Connection are removed in time in proportion to the fields and the names")
    func hopByHop() throws {
        try expectLinear {
            try names($0)
        } _: { names in
            var fields = fields(names)
            let absent = (0..<names.count).map { "X-Other-\(100_000 + $0)" }
            fields.append(.connection, absent.joined(separator: ","))
            fields.removeHopByHop()
            #expect(fields.count == names.count)
        }
    }

    // MARK: - Names and parameters

    @Test("Whether a long name is secret takes time in proportion to its length")
    func longNames() throws {
        try expectLinear(few: 2000) { count in
            try Outgoing.call(
                Anything(
                    method: .post,
                    task: .parameters([String(repeating: "a-", count: count): "1"], encoding: .form)))
        } _: { call in
            #expect(call.curlCommand(bodyLimit: .max).hasSuffix("=1'"))
        }
    }

    @Test("A form of a model with many members takes time in proportion to them")
    func form() throws {
        try expectLinear { count in
            Dictionary(uniqueKeysWithValues: (0..<count).map { ("name-\($0)", $0) })
        } _: { model in
            let bytes = try URLEncodedFormEncoder().encodeBody(model)
            #expect(bytes.count { $0 == UInt8(ascii: "&") } == model.count - 1)
        }
    }

    private struct Repeating: Encodable {
        let count: Int

        struct Key: CodingKey {
            var stringValue: String
            var intValue: Int? { nil }
            init(_ number: Int) { stringValue = "n\(number)" }
            init?(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            for value in 0..<2 {
                for number in 0..<count { try container.encode(number + value, forKey: Key(number)) }
            }
        }
    }

    @Test("A member that is encoded twice is sent once, in its first place, with its last value")
    func repeatedMembers() throws {
        var encoder = URLEncodedFormEncoder()
        encoder.sortsKeys = false
        for count in [1, 31, 32, 33, 100] {
            let expected = (0..<count).map { "n\($0)=\($0 + 1)" }.joined(separator: "&")
            #expect(try encoder.encode(Repeating(count: count)) == expected)
        }
    }

    @Test(
        "A target's own fields replace the provider's of the same names, and their order and repetitions stay"
    )
    func replacedFields() throws {
        for count in [1, 2000] {
            var headers: HTTPFields = ["accept": "text/csv", "X-A": "1", "X-a": "2"]
            for number in 0..<count { headers.append(try #require(HTTPFieldName("X-\(number)")), "n") }
            let fields = try Outgoing.call(Anything(headers: headers)).fields
            #expect(fields.values(of: .accept) == ["text/csv"])
            #expect(fields.values(of: "X-A") == ["1", "2"])
            #expect(fields.count { $0.value == "n" } == count)
        }
    }
}
