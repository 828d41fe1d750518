import Testing

@testable import HTTPModel

/// Fields of a message that has so many that an index finds them, against a list that is searched from its
/// beginning.
@Suite("Many fields")
struct FieldIndexTests {
    private typealias Pair = (name: String, value: String)

    /// What `HTTPFields` does, without an index.
    private struct Model {
        var pairs: [Pair] = []

        static func isNamed(_ name: String, _ pair: Pair) -> Bool {
            pair.name.lowercased() == name.lowercased()
        }

        mutating func set(_ name: String, _ value: String) {
            guard let first = pairs.firstIndex(where: { Self.isNamed(name, $0) }) else {
                return pairs.append((name, value))
            }
            pairs[first] = (name, value)
            let rest = pairs[(first + 1)...].filter { !Self.isNamed(name, $0) }
            pairs = pairs[...first] + rest
        }
    }

    private struct Numbers: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ (state >> 32)
        }
    }

    private func name(_ text: String) throws -> HTTPFieldName { try #require(HTTPFieldName(text)) }

    private func expectSame(_ fields: HTTPFields, _ model: Model) throws {
        try #require(fields.map(\.name) == model.pairs.map(\.name))
        try #require(fields.map(\.value) == model.pairs.map(\.value))
    }

    @Test(
        "Appending, setting, removing and looking up give the same as without an index",
        arguments: [1, 2, 3, 4])
    func random(seed: UInt64) throws {
        var numbers = Numbers(state: seed)
        var fields = HTTPFields()
        var model = Model()
        for step in 0..<3000 {
            // Few names at first, so that many repeat.
            let number = Int.random(in: 0..<(step < 600 ? 40 : 500), using: &numbers)
            let text = Bool.random(using: &numbers) ? "X-\(number)" : "x-\(number)"
            let field = try name(text)
            switch Int.random(in: 0..<20, using: &numbers) {
            case 0..<8:
                fields.append(field, "\(step)")
                model.pairs.append((text, "\(step)"))
            case 8..<15:
                fields[field] = "\(step)"
                model.set(text, "\(step)")
            case 15 where step % 10 == 0:
                let before = model.pairs.count
                model.pairs.removeAll { Model.isNamed(text, $0) }
                #expect(fields.remove(field) == before - model.pairs.count)
            default: break
            }
            let expected = model.pairs.filter { Model.isNamed(text, $0) }.map(\.value)
            try #require(fields.values(of: field) == expected)
            let places = model.pairs.indices.filter { Model.isNamed(text, model.pairs[$0]) }
            let start = Int.random(in: 0...model.pairs.count, using: &numbers)
            try #require(fields.firstIndex(of: field, from: start) == places.first { $0 >= start })
            try #require(fields.firstIndex(of: "X-Absent") == nil)
        }
        #expect(fields.count > 256)
        try expectSame(fields, model)
    }

    @Test("Setting a field keeps its place, and the others of its name go")
    func place() throws {
        for count in [0, 200] {
            var fields: HTTPFields = ["A": "1", "B": "2", "a": "3"]
            for number in 0..<count { fields.append(try name("X-\(number)"), "x") }
            fields.append("C", "4")
            fields["A"] = "5"
            fields["c"] = "six"
            let kept = fields.filter { $0.value != "x" }.map { "\($0.name)=\($0.value)" }
            #expect(kept == ["A=5", "B=2", "c=six"])
            #expect(fields.count == count + 3)
            fields["a"] = nil
            #expect(fields["A"] == nil && fields["B"] == "2" && fields.count == count + 2)
        }
    }

    @Test("Changing a copy of many fields leaves the original alone")
    func copy() throws {
        var fields = HTTPFields()
        for number in 0..<1000 { fields.append(try name("X-\(number)"), "\(number)") }
        let before = fields
        fields["X-7"] = "new"
        fields.remove("X-8")
        fields["X-9"] = "new"
        fields.append("X-1000", "new")
        #expect(before.count == 1000 && before.map(\.value) == (0..<1000).map { "\($0)" })
        #expect(before["X-7"] == "7" && before["X-8"] == "8" && before["X-1000"] == nil)
        #expect(fields["X-7"] == "new" && fields["X-8"] == nil && fields["X-1000"] == "new")
    }

    @Test("Fields of a parsed head are found among many, and their head stays their text")
    func parsed() throws {
        var head = "HTTP/1.1 200 OK\r\n"
        var entries: [FieldStorage.Entry] = []
        for number in 0..<300 {
            let start = head.utf8.count
            head += "X-\(number % 200): \(number)\r\n"
            let colon = start + "X-\(number % 200)".utf8.count
            entries.append(
                FieldStorage.Entry(
                    from: start, nameEnd: colon, valueStart: colon + 2, to: head.utf8.count - 2))
        }
        let fields = HTTPFields(
            Array(head.utf8).withUnsafeBytes { FieldStorage(head: $0, entries: entries, count: 300) })
        #expect(fields.values(of: "x-7") == ["7", "207"])
        #expect(fields["X-150"] == "150" && fields["X-200"] == nil)
        #expect(fields.storage.bytes[fields.storage.textStart...].elementsEqual(head.utf8))
        #expect(fields.textSize == head.utf8.count)
    }

    @Test("Many fields that were checked are copied in one piece, in their order")
    func checked() throws {
        var fields = HTTPFields(room: 200, capacity: 10)
        for number in 0..<300 { fields[try name("X-\(number % 150)")] = "\(number)" }
        let shared = fields.checked()
        #expect(shared.storage.isChecked)
        let text = (150..<300).map { "X-\($0 - 150): \($0)\r\n" }.joined()
        #expect(shared.storage.bytes[shared.storage.textStart...].elementsEqual(text.utf8))
    }

    @Test("Names with the same hash are told apart")
    func collisions() throws {
        // A chain is one of `room`, so that 100 000 names share 131 072 chains.
        var fields = HTTPFields()
        for number in 0..<100_000 { fields[try name("n\(number)")] = "\(number)" }
        #expect(fields.count == 100_000)
        for number in stride(from: 0, to: 100_000, by: 997) {
            #expect(fields[try name("N\(number)")] == "\(number)")
        }
    }
}
