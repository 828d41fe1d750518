import HTTPModel
import HTTPWire
import Testing

@Test("A request with a body comes out as head, body and end")
func wholeRequest() throws {
    var parser = RequestParser()
    let bytes = Array("POST /a?b=c HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabcGET".utf8)
    var events: [String] = []
    bytes.withUnsafeBytes { input in
        var consumed = 0
        while events.last != "end", events.count < 9 {
            switch parser.parse(input, consumed: &consumed) {
            case .needMore: events.append("more")
            case .head(let head, let framing):
                events.append("\(head.method) \(head.target.path) \(head.target.query ?? "") \(head.fields[.host] ?? "") \(framing.body)")
            case .body(let range): events.append(String(decoding: input[range], as: UTF8.self))
            case .end: events.append("end")
            case .failed(let error): events.append("\(error)")
            }
        }
        #expect(consumed == input.count - 3)
    }
    #expect(events == ["POST /a b=c x length(3)", "abc", "end"])
}

@Test("A response comes out as head, body and end")
func wholeResponse() throws {
    var parser = ResponseParser()
    parser.expectResponse(to: .get)
    let bytes = Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n".utf8)
    var events: [String] = []
    bytes.withUnsafeBytes { input in
        var consumed = 0
        while events.count < 9 {
            switch parser.parse(input, consumed: &consumed) {
            case .needMore:
                #expect(consumed == input.count)
                return
            case .informational(let status): events.append("\(status)")
            case .head(let head, let framing): events.append("\(head.status) \(framing.body)")
            case .body(let range): events.append(String(decoding: input[range], as: UTF8.self))
            case .end(let reusable): events.append("end \(reusable)")
            case .failed(let error): events.append("\(error)")
            }
        }
    }
    #expect(events == ["200 OK chunked", "abc", "end true"])
}
