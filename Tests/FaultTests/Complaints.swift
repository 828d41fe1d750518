import Foundation
import JSONBytes
import TestSupport

/// What a case did not find as it should be. Gathered and not thrown, so that a case tells all of it, and can be run
/// where there is no test to tell.
struct Complaints {
    private(set) var list: [String] = []

    mutating func expect(_ isSo: Bool, _ what: @autoclosure () -> String) {
        if !isSo { list.append(what()) }
    }

    mutating func expectEqual<Value: Equatable>(_ found: Value, _ expected: Value, _ what: String) {
        if found != expected { list.append("\(what) is \(found) and not \(expected)") }
    }

    /// What holds for every answer in the envelope, whatever it says; nil where it is none.
    mutating func envelope(_ reply: RawClient.Reply, _ status: Int, _ code: String) -> JSONFragment? {
        let before = list.count
        expectEqual(reply.status, status, "the status")
        expectEqual(reply.value("Content-Type"), "application/json; charset=utf-8", "the type")
        expectEqual(reply.values("Content-Length"), ["\(reply.body.count)"], "the length")
        expect(reply.value("Date")?.hasSuffix(" GMT") == true, "no date")
        expect(
            !reply.text.contains("127.0.0.1") && !reply.text.contains("html"),
            "something of an upstream's shows")
        guard let json = try? JSONFragment(validating: reply.body[...]) else {
            list.append("no JSON: \(reply)")
            return nil
        }
        expectEqual(json[member: "code"]?.stringValue, code, "the code")
        expectEqual(json[member: "status"]?.intValue, status, "the status inside")
        let id = json[member: "meta"]?[member: "requestId"]?.stringValue
        expect(
            id?.isEmpty == false && id == reply.value("X-Request-Id"), "the request's id is \(id ?? "none")")
        if list.count > before { list.append(reply.description) }
        return json
    }

    /// A request on this connection is answered whole and right.
    mutating func page(_ client: RawClient, _ where: String) {
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

    /// A request on a connection of its own is answered whole and right.
    mutating func page(port: Int) {
        do {
            page(try RawClient(port: port), "a new connection")
        } catch {
            list.append("\(error)")
        }
    }
}
