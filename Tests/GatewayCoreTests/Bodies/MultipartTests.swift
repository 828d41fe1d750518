import HTTPModel
import JSONBytes
import Networking
import Rx
import Testing

@testable import GatewayCore

@Suite("Multipart forms", .timeLimit(.minutes(1)))
struct MultipartTests {
    private let bench = Bench()

    init() {
        for (path, options) in [("/streamed", [EndpointOption.streamsBody]), ("/buffered", [])] {
            bench.gateway.on(.post, path, options) { request in
                var texts: [String] = []
                for try await part in request.multipart() where part.name != "skipped" {
                    let file = part.filename.map { "(\($0))" } ?? ""
                    texts.append("\(part.name)\(file)=\(try await part.text())")
                }
                return .json(texts)
            }
        }
        bench.gateway.post("/limited", .streamsBody) { request in
            var sizes: [Int] = []
            for try await part in request.multipart() { sizes.append(try await part.bytes(limit: 3).count) }
            return .json(sizes)
        }
        bench.gateway.post("/twice", .streamsBody) { request in
            for try await part in request.multipart() {
                _ = try await part.text()
                _ = try await part.text()
            }
            return .json(1)
        }
        bench.gateway.post("/late", .streamsBody) { request in
            var parts: [MultipartPart] = []
            for try await part in request.multipart() { parts.append(part) }
            return .json(try await parts[0].text())
        }
    }

    private static func part(_ name: String, _ body: String, _ more: String = "") -> String {
        "--B\r\nContent-Disposition: form-data; name=\"\(name)\"\(more)\r\n\r\n\(body)\r\n"
    }

    private func reply(
        _ path: String, _ form: String, type: String = "multipart/form-data; boundary=B"
    ) async throws -> Reply {
        let head = HTTPRequestHead(
            method: .post, target: try #require(RequestTarget(path)), fields: [.contentType: type])
        let request = ReceivedRequest(head: head, body: Array(form.utf8)[...])
        return Reply(try await bench.gateway.responder().respond(to: request).value)
    }

    @Test("Parts are read or skipped in order, streamed and buffered", arguments: ["/streamed", "/buffered"])
    func parts(path: String) async throws {
        let form =
            Self.part("a", "1") + Self.part("skipped", "x\r\ny") + Self.part("b", "2", "; filename=\"c.txt\"")
            + "--B--\r\n"
        let reply = try await reply(path, form)
        #expect(reply["/data"] == #"["a=1","b(c.txt)=2"]"#)
    }

    @Test("Another type is 415, a malformed form 400")
    func refused() async throws {
        #expect(try await reply("/streamed", "{}", type: "application/json").status == 415)
        let reply = try await reply("/streamed", Self.part("a", "1"))
        #expect(reply.status == 400)
        #expect(reply.message == "Form part \"a\" ends before the last boundary")
    }

    @Test("A part that exceeds a limit is 413 and named; other parts may be as long as they like")
    func limits() async throws {
        let reply = try await reply("/limited", Self.part("a", "abc") + Self.part("b", "abcd") + "--B--")
        #expect(reply.status == 413)
        #expect(reply.message == "Form part \"b\" exceeds 3 bytes")

        let long = String(repeating: "x", count: 65_537)
        #expect(try await self.reply("/streamed", Self.part("skipped", long) + "--B--").status == 200)
        let field = try await self.reply("/streamed", Self.part("a", long) + "--B--")
        #expect(field.status == 413)
        #expect(field.message == "Form part \"a\" exceeds 65536 bytes")
    }

    @Test("Too many parts are 413")
    func count() async throws {
        let form = String(repeating: Self.part("skipped", ""), count: 101) + "--B--"
        let reply = try await reply("/streamed", form)
        #expect(reply.status == 413)
        #expect(reply.message == "The form has more than 100 parts")
    }

    @Test("A text that is not UTF-8 is 400")
    func notUTF8() async throws {
        let head = HTTPRequestHead(
            method: .post, target: try #require(RequestTarget("/streamed")),
            fields: [.contentType: "multipart/form-data; boundary=B"])
        let form = Self.part("a", "x").utf8.map { $0 == UInt8(ascii: "x") ? 0xff : $0 } + Array("--B--".utf8)
        let request = ReceivedRequest(head: head, body: form[...])
        let reply = Reply(try await bench.gateway.responder().respond(to: request).value)
        #expect(reply.status == 400)
        #expect(reply.message == "Form part \"a\" must be UTF-8")
    }

    @Test(
        "Reading a part twice, or after the next one, is 500 and an incident", arguments: ["/twice", "/late"])
    func misused(path: String) async throws {
        let form = Self.part("a", "1") + Self.part("b", "2") + "--B--"
        #expect(try await reply(path, form).status == 500)
        #expect(
            bench.incidents.map { "\($0.error)" }
                == ["the body of a form's part was read twice, or after the next part"])
    }
}
