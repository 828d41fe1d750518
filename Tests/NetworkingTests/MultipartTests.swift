import FoundationEssentials
import HTTPModel
import Networking
import NetworkingCompatibility
import Testing

@Suite("Multipart form")
struct MultipartTests {
    private func text(_ form: MultipartFormData) throws -> String {
        try Outgoing.body(.multipart(form))
    }

    private func refusal(_ form: MultipartFormData) throws -> NetworkError {
        try Outgoing.refusal(Anything(method: .post, task: .multipart(form)))
    }

    // MARK: - Errors

    @Test("A form without parts, or with an invalid header, fails the call")
    func bad() throws {
        #expect(try refusal(MultipartFormData()).reason == .requestError)
        #expect(
            try refusal(MultipartFormData([.bytes([1], name: "a", mimeType: "x/y\r\nX: z")])).reason
                == .requestError)
        #expect(
            try refusal(MultipartFormData([.bytes([1], name: "a", headers: ["X": "a\r\nb"])])).reason
                == .requestError)
    }

    @Test(
        "A boundary that is malformed or occurs in a part fails the call",
        arguments: ["", "a b ", "a\r\nb", "ä", String(repeating: "a", count: 71), "inside"])
    func badBoundary(boundary: String) throws {
        let form = MultipartFormData([.text("x\r\n--inside\r\n", name: "a")], boundary: boundary)
        #expect(try refusal(form).message.contains("boundary"))
    }

    @Test(
        "A file that cannot be read fails the call", arguments: ["/nowhere/at/all.png", "/etc/passwd\0.png"])
    func missingFile(path: String) throws {
        let error = try refusal(MultipartFormData([.file(path, name: "a")]))
        #expect(error.underlying is FileBody.Failure)
    }

    // MARK: - Format

    @Test("Parts are sent in order with their dispositions, followed by the final boundary")
    func parts() throws {
        var form = MultipartFormData(boundary: "B")
        form.append("오늘", named: "note")
        form.append([1, 2], named: "raw", fileName: "a.bin")
        form.append("{}".utf8, named: "json", mimeType: "application/json")
        form.append(.bytes("x".utf8, name: "more", headers: ["X-Key": "v"]))
        #expect(
            try text(form) == """
                --B\r
                Content-Disposition: form-data; name="note"\r
                \r
                오늘\r
                --B\r
                Content-Disposition: form-data; name="raw"; filename="a.bin"\r
                Content-Type: application/octet-stream\r
                \r
                \u{1}\u{2}\r
                --B\r
                Content-Disposition: form-data; name="json"\r
                Content-Type: application/json\r
                \r
                {}\r
                --B\r
                Content-Disposition: form-data; name="more"\r
                X-Key: v\r
                \r
                x\r
                --B--\r

                """)
    }

    @Test("Quotes, line breaks and NUL in a name are escaped")
    func escaping() throws {
        let form = MultipartFormData(
            [.bytes([], name: "a\"; x=\"b\r\nX-Evil: 1", fileName: "c\\\"d%22é\u{0}.png")], boundary: "B")
        #expect(
            try text(form).contains(
                #"form-data; name="a%22; x=%22b%0D%0AX-Evil: 1"; filename="c\%22d%22é%00.png""#))
    }

    @Test("No byte in a name adds a line to the head of a part")
    func anyName() throws {
        for first in UInt8.min...UInt8.max {
            for second in [
                UInt8(ascii: "\r"), UInt8(ascii: "\n"), UInt8(ascii: "\""), UInt8(ascii: "\\"), first,
            ] {
                let name = String(decoding: [0x61, first, second, 0x62], as: UTF8.self)
                let form = MultipartFormData([.bytes([], name: name, fileName: name)], boundary: "B")
                let lines = try text(form).utf8.split(
                    separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
                #expect(lines.count == 7)
                #expect(lines[1].count { $0 == UInt8(ascii: "\"") } == 4)
                #expect(
                    lines.dropLast().allSatisfy {
                        $0.last == UInt8(ascii: "\r") && $0.count { $0 < 0x20 } == 1
                    })
            }
        }
    }

    @Test("The content type names the boundary, quoted if necessary")
    func contentType() throws {
        func type(_ boundary: String) throws -> String? {
            let form = MultipartFormData([.text("x", name: "a")], boundary: boundary)
            return try Outgoing.call(Anything(method: .post, task: .multipart(form))).fields[.contentType]
        }
        #expect(try type("abc-1") == "multipart/form-data; boundary=abc-1")
        #expect(try type("a b:c") == #"multipart/form-data; boundary="a b:c""#)
    }

    @Test("A boundary is random but stays the same each time a form is sent")
    func randomBoundary() throws {
        let forms = (0..<50).map { _ in MultipartFormData([.text("x", name: "a")]) }
        #expect(Set(forms.map(\.boundary)).count == 50)
        #expect(forms[0].boundary.utf8.count == 39)
        #expect(try text(forms[0]) == text(forms[0]))
    }

    // MARK: - Streams

    private struct Announced: BodySource {
        var length: Int64?
        var bytes: [UInt8]
        func open() -> any BodyReader { Reader(rest: bytes[...]) }

        final class Reader: BodyReader {
            var rest: ArraySlice<UInt8>
            init(rest: ArraySlice<UInt8>) { self.rest = rest }

            func read(atMost count: Int) -> ArraySlice<UInt8> {
                let piece = rest.prefix(min(count, 3))
                rest = rest.dropFirst(piece.count)
                return piece
            }
        }
    }

    @Test("Files and streams are sent between parts in memory and are read anew for each send")
    func streamed() throws {
        let folder = try ScratchFolder()
        let path = try folder.file("lunch.jpg", Array("jpeg".utf8))
        let form = MultipartFormData(
            [
                .file(path, name: "photo"), .text("t", name: "text"),
                .stream(Announced(length: 5, bytes: Array("12345".utf8)), name: "s", mimeType: "x/y"),
            ], boundary: "B")
        let call = try Outgoing.call(Anything(method: .post, task: .uploadMultipart(form)))
        let expected = """
            --B\r
            Content-Disposition: form-data; name="photo"; filename="lunch.jpg"\r
            Content-Type: image/jpeg\r
            \r
            jpeg\r
            --B\r
            Content-Disposition: form-data; name="text"\r
            \r
            t\r
            --B\r
            Content-Disposition: form-data; name="s"\r
            Content-Type: x/y\r
            \r
            12345\r
            --B--\r

            """
        #expect(call.body.inMemory == nil)
        #expect(call.body.length == Int64(expected.utf8.count))
        for _ in 1...2 { #expect(String(decoding: try call.body.collect(), as: UTF8.self) == expected) }
        guard case .stream(let source) = call.body else { return #expect(Bool(false)) }
        let reader = try source.open()
        var bytes: [UInt8] = []
        while case let piece = try reader.read(atMost: 1), !piece.isEmpty { bytes += piece }
        #expect(bytes == Array(expected.utf8))
    }

    @Test("The length of a form is unknown if the length of a part is unknown")
    func unknownLength() throws {
        for unknown in [nil, -1, .min] as [Int64?] {
            let form = MultipartFormData([.stream(Announced(length: unknown, bytes: [1]), name: "s")])
            let call = try Outgoing.call(Anything(method: .post, task: .multipart(form)))
            #expect(call.body.length == nil)
            #expect(try call.body.collect().contains(1))
        }
    }

    @Test("A file of unknown length in a form is sent to its end")
    func unsizedFile() throws {
        let form = MultipartFormData([.file("/proc/self/status", name: "s", fileName: "status")])
        let call = try Outgoing.call(Anything(method: .post, task: .multipart(form)))
        #expect(call.body.length == nil)
        #expect(String(decoding: try call.body.collect(), as: UTF8.self).contains("Threads:"))
    }

    @Test("The length of a form is unknown if the sum of its parts overflows")
    func unboundedLength() throws {
        let parts = ["a", "b"].map {
            MultipartFormData.Part.stream(Announced(length: .max, bytes: [1]), name: $0)
        }
        let call = try Outgoing.call(Anything(method: .post, task: .multipart(MultipartFormData(parts))))
        #expect(call.body.length == nil)
    }

    @Test("A part shorter or longer than its announced length is an error", arguments: [4, 6])
    func wrongLength(length: Int64) throws {
        let form = MultipartFormData([
            .stream(Announced(length: length, bytes: Array("12345".utf8)), name: "s")
        ])
        let call = try Outgoing.call(Anything(method: .post, task: .multipart(form)))
        #expect(throws: (any Error).self) { try call.body.collect() }
    }

    @Test("A form and query parameters are sent together")
    func composite() throws {
        let call = try Outgoing.call(
            Anything(
                method: .post,
                task: .uploadCompositeMultipart([.text("x", name: "a")], urlParameters: ["page": 2])))
        #expect(call.query == "page=2")
        #expect(call.fields[.contentType]?.hasPrefix("multipart/form-data; boundary=sluice-") == true)
    }
}
