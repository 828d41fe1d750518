import HTTPModel
import Testing

@Suite("Fields")
struct HTTPFieldsTests {
    @Test("A name is a token of 1 to 256 bytes", arguments: ["", "a b", "a:", "é", "a\u{0}", "(a)"])
    func badName(_ text: String) {
        #expect(HTTPFieldName(text) == nil)
        #expect(HTTPFieldName(String(repeating: "a", count: 257)) == nil)
        #expect(HTTPFieldName(String(repeating: "a", count: 256)) != nil)
    }

    @Test("Names that differ in case only are equal, and other names are not")
    func nameEquality() {
        let literal: HTTPFieldName = "Content-Type"
        #expect(literal == HTTPFieldName("cONTENT-tYPE"))
        #expect(Set([literal, .contentType]).count == 1)
        #expect(literal != "Content-Typf")
        #expect(literal != "Content-Typ")
        // ^ and ~ differ in the bit that is the case of a letter.
        #expect(HTTPFieldName("a^") != HTTPFieldName("a~"))
        #expect(literal.description == "Content-Type")
        let one: HTTPFieldName = "X"
        #expect(one == "x")
        #expect(one.hashValue != ("Y" as HTTPFieldName).hashValue)
    }

    @Test("Looking up or removing an absent name finds nothing")
    func absent() {
        var fields: HTTPFields = ["A": "1"]
        #expect(fields["B"] == nil)
        #expect(fields.firstValueBytes("B") == nil)
        #expect(fields.values(of: "B") == [])
        #expect(!fields.contains("B"))
        #expect(fields.remove("B") == 0)
        #expect(fields.count == 1)
        #expect(HTTPFields().isEmpty)
    }

    @Test("A name is found whatever its length, while fields are added and removed")
    func lengths() throws {
        let names = try (1...256).map { try #require(HTTPFieldName(String(repeating: "n", count: $0))) }
        var fields = HTTPFields()
        for (index, name) in names.enumerated() {
            // Names of other lengths, also of lengths that differ by 32 or 256.
            #expect(fields.firstIndex(of: name) == nil)
            fields.append(name, "\(index)")
            #expect(fields[name] == "\(index)")
        }
        #expect(names.allSatisfy(fields.contains))
        #expect(fields.remove(names[40]) == 1)
        #expect(!fields.contains(names[40]) && fields.contains(names[8]) && fields.contains(names[72]))
    }

    @Test("Credentials that log in a connection are found among other fields", arguments: [0, 1, 20])
    func connectionLogin(others: Int) {
        for name in ["Authorization", "Proxy-Authorization"] as [HTTPFieldName] {
            var fields = HTTPFields()
            for index in 0..<others { fields.append("X-Other", "\(index)") }
            #expect(!fields.logInConnection)
            fields.append(name, "Basic eA==")
            #expect(!fields.logInConnection)
            fields.append(name, "NTLM eA==")
            #expect(fields.logInConnection)
        }
    }

    @Test("Fields keep their order, their case and their number")
    func order() {
        var fields: HTTPFields = ["Set-Cookie": "a", "X": " \tb "]
        fields.append("set-cookie", "c")
        fields.append("Y", bytes: Array("dd".utf8)[...])
        #expect(fields.map { "\($0.name)=\($0.value)" } == ["Set-Cookie=a", "X=b", "set-cookie=c", "Y=dd"])
        #expect(fields.values(of: .setCookie) == ["a", "c"])
        #expect(fields[.setCookie] == "a")
        #expect(fields.firstValueBytes("y").map { Array($0) } == Array("dd".utf8))
        #expect(fields.firstIndex(of: .setCookie, from: 1) == 2)
        #expect(fields.remove(.setCookie) == 2)
        #expect(fields.map(\.name) == ["X", "Y"])
    }

    @Test("Setting a field replaces all fields of its name")
    func set() {
        var fields: HTTPFields = ["A": "1", "B": "2", "a": "3"]
        fields["A"] = "4"
        #expect(fields == ["A": "4", "B": "2"])
        fields["a"] = nil
        #expect(fields == ["B": "2"])
    }

    @Test("Changing a copy leaves the original alone")
    func value() {
        let before: HTTPFields = ["A": "1"]
        var after = before
        after.append("B", "2")
        after.remove("A")
        #expect(before == ["A": "1"])
        #expect(after == ["B": "2"])
    }

    @Test("Fields are equal if order, names in any case, and bytes of values are")
    func equality() {
        #expect(["A": "1", "B": "2"] as HTTPFields == ["a": "1", "b": "2"])
        #expect(["A": "1", "B": "2"] as HTTPFields != ["B": "2", "A": "1"])
        #expect(["A": "1"] as HTTPFields != ["B": "1"])
        #expect(["A": "1"] as HTTPFields != ["A": "1", "B": "2"])
        #expect(["A": "1", "B": "2"] as HTTPFields != ["A": "1"])
        #expect(["A": "x"] as HTTPFields != ["A": "X"])
        #expect((["A": "1"] as HTTPFields).hashValue == (["a": "1"] as HTTPFields).hashValue)
        #expect((["A": "1"] as HTTPFields).hashValue != (["A": "2"] as HTTPFields).hashValue)
        #expect((["A": "1"] as HTTPFields).hashValue != (["B": "1"] as HTTPFields).hashValue)
    }

    @Test("Hundreds of fields keep their places")
    func many() {
        var fields = HTTPFields()
        for number in 0..<300 { fields.append(HTTPFieldName("X-\(number)") ?? "bad", "\(number)") }
        #expect(fields.count == 300)
        #expect(fields["x-299"] == "299")
        #expect(fields["x-300"] == nil)
        #expect(fields.map(\.value) == (0..<300).map { "\($0)" })
        for number in 0..<300 where number % 2 == 0 { fields.remove(HTTPFieldName("X-\(number)") ?? "bad") }
        #expect(fields.map(\.value) == (0..<300).filter { $0 % 2 == 1 }.map { "\($0)" })
    }

    @Test("The fields of another message are appended in order")
    func appendOther() {
        var fields: HTTPFields = ["A": "1"]
        fields.append(contentsOf: ["B": "2", "A": "3"])
        #expect(fields == ["A": "1", "B": "2", "A": "3"])
    }

    @Test("Host is recognized at its index, by name and value in any case")
    func isHost() {
        let fields: HTTPFields = ["HOST": "Example.test", "Hosts": "example.test"]
        let host = Array("example.TEST".utf8)
        #expect(fields.isHost(at: 0, host))
        #expect(!fields.isHost(at: 0, Array("example.tesu".utf8)))
        #expect(!fields.isHost(at: 1, host))
        #expect(!fields.isHost(at: 2, host))
    }

    @Test(
        "Fields that are marked as valid are the same, until anything but a valid field is written to them"
    )
    func marked() {
        var source: HTTPFields = ["A": "1", "B": "2", "C": "3"]
        source.remove("B")
        let marked = source.checked()
        #expect(marked == ["A": "1", "C": "3"])
        #expect(!source.storage.isChecked && marked.storage.isChecked)
        var changed = marked
        changed.overwrite(valueAt: 0) { $0[0] = UInt8(ascii: "9") }
        #expect(changed == ["A": "9", "C": "3"] && changed.storage.isChecked)
        #expect(changed.remove("X") == 0 && changed.storage.isChecked)
        changed.append("D", "4")
        #expect(!changed.storage.isChecked)
        changed = marked
        changed.remove("A")
        #expect(!changed.storage.isChecked)
        changed = marked
        // Room has to be made several times.
        for number in 0..<20 { Self.appendChecked("D\(number)", to: &changed) }
        #expect(changed.count == 22 && changed["D7"] == "4" && changed.storage.isChecked)
        Self.appendChecked("D", to: &source)
        #expect(source["D"] == "4" && !source.storage.isChecked)
        #expect(HTTPFields().checked().isEmpty)
        #expect((["A": "1 2"] as HTTPFields).checked() == ["A": "1 2"])
    }

    private static func appendChecked(_ name: String, to fields: inout HTTPFields) {
        Array(name.utf8).withUnsafeBytes { name in
            Array("4".utf8).withUnsafeBytes { fields.append(checkedName: name, value: $0) }
        }
    }

    @Test(
        "Fields that no serializer may copy cannot be marked as valid",
        arguments: ["", "host", "Content-Length", "date", "Expect", "TE", "a b"])
    func notMarked(name: String) async {
        await #expect(processExitsWith: .failure) { [name] in
            var fields = HTTPFields()
            Array(name.utf8).withUnsafeBytes {
                fields.append(name: $0, value: UnsafeRawBufferPointer(start: nil, count: 0))
            }
            _ = fields.checked()
        }
    }

    @Test(
        "A value with a control character cannot be marked as valid", arguments: ["a\u{0}", "\u{7f}"])
    func controlNotMarked(value: String) async {
        await #expect(processExitsWith: .failure) { [value] in
            _ = (["A": value] as HTTPFields).checked()
        }
    }

    @Test("An index without a field stops the program", arguments: [-1, 1])
    func badIndex(index: Int) async {
        await #expect(processExitsWith: .failure) { [index] in
            _ = (["A": "1"] as HTTPFields).valueBytes(at: index)
        }
    }

    @Test("A search from a negative index stops the program")
    func negativeStart() async {
        await #expect(processExitsWith: .failure) {
            _ = (["A": "1"] as HTTPFields).firstIndex(of: .host, from: -1)
        }
    }

    @Test("A name of 256 bytes is kept, and a longer one stops the program")
    func nameLength() async {
        var fields = HTTPFields()
        [UInt8](repeating: UInt8(ascii: "a"), count: 256).withUnsafeBytes {
            fields.append(name: $0, value: UnsafeRawBufferPointer(start: nil, count: 0))
        }
        #expect(Array(fields).first?.name.utf8.count == 256)
        await #expect(processExitsWith: .failure) {
            var fields = HTTPFields()
            [UInt8](repeating: UInt8(ascii: "a"), count: 257).withUnsafeBytes {
                fields.append(name: $0, value: UnsafeRawBufferPointer(start: nil, count: 0))
            }
        }
    }

    @Test("A list's elements have no blanks around them, and empty ones are skipped")
    func listElements() {
        var elements: [String] = []
        Array(" a ,, b,\t, c d ,".utf8).withUnsafeBytes { value in
            forEachListElement(in: value) { elements.append(String(decoding: $0, as: UTF8.self)) }
        }
        #expect(elements == ["a", "b", "c d"])
    }

    @Test("The iteration gives names and values in order, and knows how many there are")
    func iteration() {
        let fields: HTTPFields = ["B": "2", "a": "1"]
        #expect(Array(fields).map(\.name) == ["B", "a"] && fields.underestimatedCount == 2)
    }

    @Test("A description shows no credentials")
    func description() {
        var fields: HTTPFields = [
            "authorization": "Bearer secret", "Cookie": "secret", "Set-Cookie": "secret", "X": "y",
        ]
        Array("a b".utf8).withUnsafeBytes { fields.append(name: $0, value: $0) }
        #expect(
            fields.description
                == "authorization: (hidden)\nCookie: (hidden)\nSet-Cookie: (hidden)\nX: y\na b: a b")
    }

    @Test("The names that have a constant are spelled as their RFC has them")
    func constants() {
        let names: [HTTPFieldName] = [
            .accept, .acceptEncoding, .acceptLanguage, .acceptRanges, .accessControlAllowCredentials,
            .accessControlAllowHeaders, .accessControlAllowMethods, .accessControlAllowOrigin,
            .accessControlExposeHeaders, .accessControlMaxAge, .accessControlRequestHeaders,
            .accessControlRequestMethod, .age, .allow, .authorization, .cacheControl, .connection,
            .contentEncoding, .contentLanguage, .contentLength, .contentRange, .contentSecurityPolicy,
            .contentType, .cookie, .date, .eTag, .expect, .forwarded, .host, .http2Settings, .ifMatch,
            .ifModifiedSince, .ifNoneMatch, .ifUnmodifiedSince, .ifRange, .keepAlive, .lastModified, .link,
            .location, .origin, .prefer, .preferenceApplied, .proxyAuthenticate, .proxyConnection,
            .proxyStatus, .range, .referer, .retryAfter, .server, .serverTiming, .setCookie, .te,
            .traceParent, .traceState, .trailer, .transferEncoding, .upgrade, .userAgent, .vary, .via,
            .wwwAuthenticate, .xContentTypeOptions, .xForwardedFor, .xForwardedHost, .xForwardedProto,
            .xRealIP, .xRequestID,
        ]
        #expect(
            names.map(\.description).joined(separator: " ") == """
                Accept Accept-Encoding Accept-Language Accept-Ranges Access-Control-Allow-Credentials \
                Access-Control-Allow-Headers Access-Control-Allow-Methods Access-Control-Allow-Origin \
                Access-Control-Expose-Headers Access-Control-Max-Age Access-Control-Request-Headers \
                Access-Control-Request-Method Age Allow Authorization Cache-Control Connection \
                Content-Encoding Content-Language Content-Length Content-Range Content-Security-Policy \
                Content-Type Cookie Date ETag Expect Forwarded Host HTTP2-Settings If-Match \
                If-Modified-Since If-None-Match If-Unmodified-Since If-Range Keep-Alive Last-Modified Link \
                Location Origin Prefer Preference-Applied Proxy-Authenticate Proxy-Connection \
                Proxy-Status Range Referer Retry-After Server Server-Timing Set-Cookie TE \
                traceparent tracestate Trailer Transfer-Encoding Upgrade User-Agent Vary Via \
                WWW-Authenticate X-Content-Type-Options X-Forwarded-For X-Forwarded-Host X-Forwarded-Proto \
                X-Real-IP X-Request-Id
                """)
    }
}

@Suite("Hop-by-hop fields")
struct HopByHopTests {
    @Test("The fixed list is removed, and other fields stay")
    func fixedList() {
        var fields: HTTPFields = [
            "Host": "a", "connection": "close", "Keep-Alive": "1", "Proxy-Connection": "1", "TE": "trailers",
            "Trailer": "X", "TRANSFER-ENCODING": "chunked", "Upgrade": "h2c", "HTTP2-Settings": "x",
            "Via": "b",
            "Trailers": "c",
        ]
        fields.removeHopByHop()
        #expect(fields == ["Host": "a", "Via": "b", "Trailers": "c"])
    }

    @Test("The list has the names of RFC 9110, and no other names")
    func list() {
        let names = [
            "Connection", "Proxy-Connection", "Keep-Alive", "TE", "Transfer-Encoding", "Upgrade", "Trailer",
            "HTTP2-Settings",
        ]
        for name in names {
            #expect(HTTPFieldName(name).map(HopByHopFields.contains) == true, "\(name)")
            let other = String(name.dropLast()) + "x"
            #expect(HTTPFieldName(other).map(HopByHopFields.contains) == false, "\(other)")
        }
        #expect(!HopByHopFields.contains("Content-Length") && !HopByHopFields.contains("X"))
    }

    @Test("The fields that Connection names are removed, in any case, for all its lines")
    func named() {
        var fields: HTTPFields = [
            "X-A": "1", "Connection": " x-a,,x-e, X-B ,close", "X-E": "7", "x-b": "2", "X-B": "3", "X-C": "4",
            "Connection": "X-D",
            "X-D": "5", "Close": "6",
        ]
        fields.removeHopByHop()
        #expect(fields == ["X-C": "4", "Close": "6"])
    }

    @Test("A peer cannot name fields that are added after the removal")
    func addedLater() {
        var fields: HTTPFields = ["Connection": "X-Request-Id, Authorization", "X-Request-Id": "client"]
        fields.removeHopByHop()
        fields.append(.xRequestID, "ours")
        #expect(fields == ["X-Request-Id": "ours"])
    }

    @Test("Fields without a hop-by-hop field stay as they are")
    func nothing() {
        var fields: HTTPFields = ["A": "1", "Connection-X": "2"]
        fields.removeHopByHop()
        #expect(fields == ["A": "1", "Connection-X": "2"])
        var empty = HTTPFields()
        empty.removeHopByHop()
        #expect(empty.isEmpty)
    }

    @Test("Overwriting a value leaves the copies of the fields alone")
    func overwritten() {
        let template: HTTPFields = ["Via": "1.1 sluice", "X-Request-Id": "000", "traceparent": "00-00"]
        var fields = template
        fields.overwrite(valueAt: 1) { $0.copyBytes(from: "a-1".utf8) }
        fields.overwrite(valueAt: 2) { $0.copyBytes(from: "11-ff".utf8) }
        #expect(fields == ["Via": "1.1 sluice", "X-Request-Id": "a-1", "traceparent": "11-ff"])
        #expect(template == ["Via": "1.1 sluice", "X-Request-Id": "000", "traceparent": "00-00"])
        fields.append(.age, "1")
        #expect(fields[.xRequestID] == "a-1")
    }
}
