import EventIO
import Testing

@testable import GatewayHTTP

@Suite("Turns of large files")
struct FileTurnsTests {
    private final class File {}

    private let a: AddressPrefix
    private let b: AddressPrefix
    private let files = (0..<6).map { _ in File() }

    init() throws {
        a = AddressPrefix(try #require(SocketAddress(host: "10.0.0.1", port: 80)))
        b = AddressPrefix(try #require(SocketAddress(host: "10.0.0.2", port: 80)))
    }

    @Test("Files beyond the places wait, and the first that waits is next")
    func order() {
        var turns = FileTurns<File>(places: 2, open: 100)
        let begins = (0..<4).map { turns.awaitTurn(files[$0], of: a) }
        #expect(begins == [true, true, false, false])
        #expect(turns.isAwaited)
        #expect(turns.turnEnded(by: a) === files[2])
        #expect(turns.turnEnded(by: a) === files[3])
        #expect(!turns.isAwaited)
        #expect(turns.turnEnded(by: a) == nil)
        #expect(turns.turnEnded(by: a) == nil)
        #expect(turns.awaitTurn(files[0], of: a) == true)
    }

    @Test("A client with fewer turns is next, however many files of another one wait")
    func fairness() {
        var turns = FileTurns<File>(places: 2, open: 100)
        for file in files.dropLast() { _ = turns.awaitTurn(file, of: a) }
        #expect(turns.awaitTurn(files[5], of: b) == false)
        #expect(turns.turnEnded(by: a) === files[5])
        #expect(turns.turnEnded(by: a) === files[2])
    }

    @Test("A file that leaves gets no turn")
    func leaving() {
        var turns = FileTurns<File>(places: 1, open: 100)
        for file in files.prefix(3) { _ = turns.awaitTurn(file, of: a) }
        turns.leave(files[1])
        #expect(turns.turnEnded(by: a) === files[2])
        #expect(turns.turnEnded(by: a) == nil)
    }

    @Test("A client may open another file while it has fewer than are free")
    func shares() {
        var turns = FileTurns<File>(places: 1, open: 4)
        let opens = (0..<3).map { _ in turns.opened(by: a) }
        #expect(opens == [true, true, false])
        #expect(turns.opened(by: b) == true)
        #expect(turns.opened(by: b) == false)
        turns.closed(by: a)
        #expect(turns.opened(by: b) == true)
        #expect(turns.opened(by: a) == false)
    }

    @Test("Without places, no file is opened")
    func none() {
        var turns = FileTurns<File>(places: 0, open: 4)
        #expect(turns.opened(by: a) == false)
    }
}
