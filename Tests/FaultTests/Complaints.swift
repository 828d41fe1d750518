import Foundation
import JSONBytes
import TestSupport

/// The unmet expectations of a case. They are collected instead of thrown, so that a case reports all of them
/// and may run outside a test.
struct Complaints {
    private(set) var list: [String] = []

    mutating func expect(_ isSo: Bool, _ what: @autoclosure () -> String) {
        if !isSo { list.append(what()) }
    }

    mutating func expectEqual<Value: Equatable>(_ found: Value, _ expected: Value, _ what: String) {
        if found != expected { list.append("\(what) is \(found), expected \(expected)") }
    }

    /// Checks what holds for every envelope and returns its JSON; nil if the answer is not JSON.
    mutating func envelope(_ reply: RawClient.Reply, _ status: Int, _ code: String) -> JSONFragment? {
        let before = list.count
        expectEqual(reply.status, status, "the status")
        expectEqual(reply.value("Content-Type"), "application/json; charset=utf-8", "Content-Type")
        expectEqual(reply.values("Content-Length"), ["\(reply.body.count)"], "Content-Length")
        expect(reply.value("Date")?.hasSuffix(" GMT") == true, "Date is missing")
        expect(
            !reply.text.contains("127.0.0.1") && !reply.text.contains("html"),
            "the answer reveals something of the upstream")
        guard let json = try? JSONFragment(validating: reply.body[...]) else {
            list.append("not JSON: \(reply)")
            return nil
        }
        expectEqual(json[member: "code"]?.stringValue, code, "the code")
        expectEqual(json[member: "status"]?.intValue, status, "the status in the envelope")
        let id = json[member: "meta"]?[member: "requestId"]?.stringValue
        expect(
            id?.isEmpty == false && id == reply.value("X-Request-Id"),
            "the id in the envelope is \(id ?? "none")")
        if list.count > before { list.append(reply.description) }
        return json
    }

    /// Checks that a request on this connection is answered correctly.
    mutating func expectPage(_ client: RawClient, _ where: String) {
        client.send("GET /page HTTP/1.1\r\nHost: test\r\n\r\n")
        do {
            let reply = try client.reply()
            let json = envelope(reply, 200, "OK")
            expectEqual(
                json?[member: "data"]?.description, "{\"a\":\(Side.a.data),\"b\":\(Side.b.data)}",
                "the data of the next request on \(`where`)")
        } catch {
            list.append("the next request on \(`where`): \(error)")
        }
    }

    /// Checks that a request on a new connection is answered correctly.
    mutating func expectPage(port: Int) {
        do {
            expectPage(try RawClient(port: port), "a new connection")
        } catch {
            list.append("\(error)")
        }
    }
}
