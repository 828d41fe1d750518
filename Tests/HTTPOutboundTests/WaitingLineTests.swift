import Testing

@testable import HTTPOutbound

@Suite("The waiting line")
struct WaitingLineTests {
    @Test("An empty line serves nobody")
    func empty() {
        var line = WaitingLine<String>()
        #expect(line.popFirst() == nil)
        #expect(line.isEmpty)
    }

    @Test("Who left is not served, and leaving twice does nothing")
    func leaving() {
        var line = WaitingLine<String>()
        _ = line.append("a")
        let ticket = line.append("b")
        _ = line.append("c")
        let first = line.remove(ticket)
        let second = line.remove(ticket)
        #expect(first && !second)
        #expect(line.count == 2)
        #expect(line.popFirst() == "a")
        #expect(line.popFirst() == "c")
        #expect(line.popFirst() == nil)
    }

    @Test("An old ticket does not push out who has its place now")
    func oldTicket() {
        var line = WaitingLine<String>()
        let old = line.append("a")
        _ = line.popFirst()
        _ = line.append("b")
        let removed = line.remove(old)
        #expect(!removed)
        #expect(line.popFirst() == "b")
    }

    @Test("The first and the last may leave, and the order of the others stays")
    func ends() {
        var line = WaitingLine<Int>()
        let tickets = (0..<5).map { line.append($0) }
        line.remove(tickets[0])
        line.remove(tickets[4])
        _ = line.append(5)
        #expect(
            [line.popFirst(), line.popFirst(), line.popFirst(), line.popFirst(), line.popFirst()] == [
                1, 2, 3, 5, nil,
            ])
    }

    @Test("It does what a plain array does, over ten thousand random steps")
    func model() {
        var random = SystemRandomNumberGenerator()
        var line = WaitingLine<Int>()
        var model: [(value: Int, ticket: WaitingLine<Int>.Ticket)] = []
        for step in 0..<10_000 {
            switch Int.random(in: 0..<5, using: &random) {
            case 0, 1:
                model.append((step, line.append(step)))
            case 2:
                let expected = model.isEmpty ? nil : model.removeFirst().value
                #expect(line.popFirst() == expected)
            default:
                guard !model.isEmpty else { continue }
                let index = Int.random(in: 0..<model.count, using: &random)
                let removed = line.remove(model.remove(at: index).ticket)
                #expect(removed)
            }
            #expect(line.count == model.count)
        }
        while let next = line.popFirst() { #expect(next == model.removeFirst().value) }
        #expect(model.isEmpty)
    }
}
