import HTTPModel
import Testing

@testable import GatewayCore

/// Tests the parser alone, which needs neither a request nor a loop.
@Suite("The parser of multipart forms")
struct MultipartParserTests {
    /// Returns the outcome of a form that arrives in these pieces.
    private static func outcome(_ pieces: [ArraySlice<UInt8>]) -> String {
        var parser = MultipartParser(boundary: Array("B".utf8))
        var rest = pieces[...]
        var texts: [String] = []
        var body: [UInt8]?
        func finishPart() {
            guard let bytes = body else { return }
            texts[texts.count - 1] +=
                "=" + String(decoding: bytes, as: UTF8.self).replacing("\r\n", with: "|")
            body = nil
        }
        do {
            while true {
                switch try parser.next() {
                case .needMore:
                    if let piece = rest.popFirst() { parser.receive(piece) } else { parser.finish() }
                case .part(let head):
                    let type = head.contentType.map(\.description) ?? ""
                    texts.append(head.name + (head.filename.map { "[\($0);\(type)]" } ?? ""))
                    body = []
                case .body(let bytes):
                    #expect(!bytes.isEmpty)
                    body? += bytes
                case .partEnd:
                    finishPart()
                case .end:
                    return texts.joined(separator: " ")
                }
            }
        } catch {
            finishPart()
            return (texts + [error.message]).joined(separator: " ")
        }
    }

    @Test("A form gives the same whole and byte by byte", arguments: MultipartCase.all)
    func wholeAndByteByByte(form: MultipartCase) {
        let bytes = form.bytes
        #expect(Self.outcome([bytes[...]]) == form.outcome)
        #expect(Self.outcome(bytes.indices.map { bytes[$0...$0] }) == form.outcome)
    }

    @Test("A form gives the same in two halves, wherever it is cut", arguments: MultipartCase.all)
    func halves(form: MultipartCase) {
        let bytes = form.bytes
        // Cuts within the long runs of one letter are all alike.
        let cuts = bytes.indices.filter { $0 < 400 || $0 > bytes.count - 400 || $0 % 97 == 0 }
        for cut in cuts {
            let outcome = Self.outcome([bytes[..<cut], bytes[cut...]])
            if outcome != form.outcome { Issue.record("cut at \(cut): \(outcome)") }
        }
    }

    @Test("A parser that has failed fails again with the same fault")
    func failsAgain() {
        var parser = MultipartParser(boundary: Array("B".utf8))
        parser.receive(Array("hello".utf8)[...])
        let first = #expect(throws: MultipartFault.self) { try parser.next() }
        let second = #expect(throws: MultipartFault.self) { try parser.next() }
        #expect(first == second)
        #expect(first?.message == "The form must begin with its boundary")
    }

    @Test("A boundary has 1 to 70 of the allowed characters, and is given once")
    func boundaries() throws {
        func boundary(_ type: String?) throws(GatewayError) -> String {
            let bytes = try MultipartBoundary.of(type.map { [.contentType: $0] } ?? [:])
            return String(decoding: bytes, as: UTF8.self)
        }
        let longest = String(repeating: "x", count: 70)
        #expect(try boundary("multipart/form-data; boundary=\(longest)") == longest)
        #expect(try boundary("Multipart/Form-Data; Boundary=\"a b:c\"") == "a b:c")
        for (type, status) in [
            ("multipart/form-data", 400), ("multipart/form-data; boundary=\"\"", 400),
            ("multipart/form-data; boundary=\(longest)x", 400), ("multipart/form-data; boundary=\"a \"", 400),
            ("multipart/form-data; boundary=\"a\u{e9}\"", 400),
            ("multipart/form-data; boundary=a; boundary=b", 400),
            ("multipart/mixed; boundary=a", 415), ("application/json", 415), ("", 415),
        ] {
            let error = #expect(throws: GatewayError.self) { try boundary(type) }
            #expect(error?.code.status == status, "\(type)")
        }
        let missing = #expect(throws: GatewayError.self) { try boundary(nil) }
        #expect(missing?.code.status == 415)
    }
}
