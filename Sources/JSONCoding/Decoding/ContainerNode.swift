import ASCIIText
@_spi(Reading) import JSONBytes

/// The document, an array or an object. Keeps its parent, so that a coding path is built only on request.
class ContainerNode {
    final let text: DocumentText
    final let start: Int
    /// Only the root node retains the document; the others retain their parents.
    private let root: Document?
    private let parent: ContainerNode?
    private let place: Int

    init(of document: Document) {
        text = document.text
        root = document
        parent = nil
        place = 0
        start = 0
    }

    /// Creates a node for the array or object at offset `start`. `place` is the index of an element, the
    /// offset of a member's name, or a negative number from `Document.place(ofAbsent:)`.
    init(inside parent: ContainerNode, place: Int, start: Int) {
        text = parent.text
        root = nil
        self.parent = parent
        self.place = place
        self.start = start
    }

    final var document: Document {
        var node = self
        while let parent = node.parent { node = parent }
        guard let root = node.root else { preconditionFailure("the root node has no document") }
        return root
    }

    final var codingPath: [any CodingKey] { parent?.codingPath(of: place) ?? [] }

    final func codingPath(of place: Int) -> [any CodingKey] {
        var path = codingPath
        if place < 0 {
            path.append(document.absentKey(at: place))
        } else if let key = key(at: place, path) {
            path.append(key)
        }
        return path
    }

    /// Returns the key of the value at a `place` of 0 or above; nil for the root value.
    func key(at place: Int, _ path: [any CodingKey]) -> (any CodingKey)? { nil }
}

final class ArrayNode: ContainerNode {
    /// Counted on first use.
    private(set) lazy var count = {
        var cursor = ValidCursor(text.reader, at: text.significant(start &+ 1))
        guard text.reader[cursor.index] != Byte.closeBracket else { return 0 }
        var count = 0
        while true {
            cursor.skipValue()
            count &+= 1
            cursor.skipWhiteSpace()
            guard text.reader[cursor.index] == Byte.comma else { return count }
            cursor.index &+= 1
            cursor.skipWhiteSpace()
        }
    }()

    override func key(at place: Int, _ path: [any CodingKey]) -> (any CodingKey)? { PathKey(place) }
}

struct PathKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(_ name: String) {
        stringValue = name
        intValue = nil
    }

    /// Foundation's name for an element.
    init(_ index: Int) {
        stringValue = "Index \(index)"
        intValue = index
    }

    init?(stringValue: String) { self.init(stringValue) }

    init?(intValue: Int) {
        stringValue = "\(intValue)"
        self.intValue = intValue
    }

    static let `super` = PathKey("super")
}
