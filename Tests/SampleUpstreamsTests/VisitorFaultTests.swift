import Sluice
import TestSupport
import Testing

@testable import SampleUpstreams

@Suite("Faults of visitors")
struct VisitorFaultTests {
    private let board = FaultBoard()

    private func visitor(_ number: Int) throws -> SampleVisitor {
        let text = String(number)
        return try SampleVisitor(String(repeating: "0", count: 16 - text.utf8.count) + text)
    }

    // MARK: - IDs

    @Test(
        "An ID is refused unless it has 16 to 64 letters, digits and hyphens",
        arguments: [
            "", "short", String(repeating: "a", count: 15), String(repeating: "a", count: 65),
            "0123456789abcde_", "0123456789abcde.", "0123456789 abcdef", "0123456789abcdeé",
            "0123456789abcdef,x",
        ])
    func refusedIDs(id: String) {
        #expect(SampleVisitor(requestText: id) == nil)
    }

    @Test(
        "A valid ID is read",
        arguments: [
            "0123456789abcdef", "3F2a9c1e-0d4b-4c58-9a77-6b1e2f8d5c03", String(repeating: "Z", count: 64),
        ])
    func validIDs(id: String) throws {
        #expect(try SampleVisitor(id).id == id)
    }

    // MARK: - The board

    @Test("A visitor's fault concerns neither other visitors nor requests without a visitor")
    func ownFaults() throws {
        let (first, second) = (try visitor(1), try visitor(2))
        board.set(.drop, for: .weights, of: first)
        board.set(.garbage, for: .users, of: second)
        #expect(board.fault(of: .recent, for: first) == .drop)
        #expect(board.fault(of: .recent, for: second) == .none)
        #expect(board.fault(of: .recent) == .none)
        #expect(board.fault(of: .users, for: first) == .none)
        #expect(board.fault(of: .users, for: second) == .garbage)
        #expect(board.list(of: .users, for: first).description == #"{"users":"none","picture":"none"}"#)
        #expect(
            board.list(of: .users, for: second).description == #"{"users":"garbage","picture":"none"}"#)
        #expect(board.list(of: .users).description == #"{"users":"none","picture":"none"}"#)
    }

    @Test("A visitor has the faults of everybody, unless the visitor has set one at the same place or above")
    func faultsOfEverybody() throws {
        let visitor = try visitor(1)
        board.set(.drop, for: .recent)
        board.set(.status(500), for: .weather)
        #expect(board.fault(of: .recent, for: visitor) == .drop)
        board.set(.garbage, for: .diary, of: visitor)
        #expect(board.fault(of: .recent, for: visitor) == .garbage)
        #expect(board.fault(of: .recent) == .drop)
        #expect(board.fault(of: .now, for: visitor) == .status(500))
        #expect(
            board.list(of: .diary, for: visitor).description
                == #"{"diary":"garbage","weights":"none","recent":"none","total":"none","day":"none","record":"none"}"#
        )
        board.set(.none, for: .diary, of: visitor)
        board.set(.none, for: .recent)
        #expect(board.fault(of: .recent, for: visitor) == .none)
        #expect(
            board.visitorCount == 1, "the fault of everybody was hidden when the visitor removed the own one")
    }

    @Test("A visitor who removes a fault of everybody no longer has it; the others still do")
    func hiddenFault() throws {
        let visitor = try visitor(1)
        board.set(.drop, for: .recent)
        board.set(.none, for: .diary, of: visitor)
        #expect(board.fault(of: .recent, for: visitor) == .none)
        #expect(board.list(of: .diary, for: visitor)[member: "recent"]?.stringValue == "none")
        #expect(board.fault(of: .recent) == .drop)
        board.set(.trickle, for: .recent, of: visitor)
        #expect(board.fault(of: .recent, for: visitor) == .trickle)
    }

    @Test("A visitor who removes the own faults takes no room")
    func removedFaults() throws {
        let visitor = try visitor(1)
        board.set(.drop, for: .recent, of: visitor)
        #expect(board.visitorCount == 1)
        board.set(.none, for: .diary, of: visitor)
        #expect(board.visitorCount == 0)
        board.set(.none, for: .diary, of: visitor)
        #expect(board.visitorCount == 0)
    }

    @Test("Beyond 1024 visitors, the one whose last request is the oldest loses its faults")
    func bound() throws {
        for number in 0..<1024 { board.set(.drop, for: .users, of: try visitor(number)) }
        #expect(board.visitorCount == 1024)
        // The first visitor comes back, so the second is now the oldest.
        #expect(board.fault(of: .users, for: try visitor(0)) == .drop)
        board.set(.drop, for: .users, of: try visitor(1024))
        #expect(board.visitorCount == 1024)
        #expect(board.fault(of: .users, for: try visitor(0)) == .drop)
        #expect(board.fault(of: .users, for: try visitor(1)) == .none)
        #expect(board.fault(of: .users, for: try visitor(2)) == .drop)
        #expect(board.fault(of: .users, for: try visitor(1024)) == .drop)
        // A visitor who already has faults replaces nobody.
        board.set(.garbage, for: .users, of: try visitor(1024))
        #expect(board.fault(of: .users, for: try visitor(3)) == .drop)
        for number in 2000..<12_000 { board.set(.drop, for: .users, of: try visitor(number)) }
        #expect(board.visitorCount == 1024)
    }

    // MARK: - The server

    @Test("A malformed ID gets 400, whatever is asked, and so do two")
    func malformed() throws {
        try withServer { server in
            let two = "Demo-Visitor: 0123456789abcdef"
            #expect(
                try server.send("GET", "/tags", visitor: "0123456789abcdef", field: two).status == 400)
            for target in ["/faults", "/users/GREEN", "/food-diary/weights/2026-11-20"] {
                let answer = try server.send("GET", target, visitor: "me")
                #expect(answer.status == 400)
                #expect(answer.json?[member: "message"]?.stringValue?.contains("Demo-Visitor") == true)
            }
            let put = try server.send("PUT", "/faults", #"{"api":"users","fault":"drop"}"#, visitor: "me")
            #expect(put.status == 400)
            #expect(try server.send("GET", "/users/GREEN").status == 200)
        }
    }

    @Test("A visitor's requests meet the visitor's faults")
    func server() throws {
        let (first, second) = ("visitor-number-1", "visitor-number-2")
        try withServer { server in
            let put = try server.send(
                "PUT", "/faults", #"{"api":"users","fault":"status:503"}"#, visitor: first)
            #expect(put.json?[member: "data"]?[member: "users"]?.stringValue == "status:503")
            #expect(try server.send("GET", "/users/GREEN", visitor: first).status == 503)
            #expect(try server.send("GET", "/users/GREEN", visitor: second).status == 200)
            #expect(try server.send("GET", "/users/GREEN").status == 200)
            for (visitor, fault) in [(first, "status:503"), (second, "none"), (nil, "none")] {
                let list = try server.send("GET", "/faults", visitor: visitor)
                #expect(list.json?[member: "data"]?[member: "users"]?.stringValue == fault)
            }
        }
    }
}
