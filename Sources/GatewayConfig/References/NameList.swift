/// Names in the order of the file, and a quick answer to whether a name is one of them.
struct NameList {
    let names: [String]
    private let indices: [String: Int]

    init(_ names: [String] = []) {
        self.names = names
        indices = Dictionary(names.enumerated().map { ($0.element, $0.offset) }) { first, _ in first }
    }

    func contains(_ name: String) -> Bool { indices[name] != nil }

    func index(of name: String) -> Int? { indices[name] }
}
