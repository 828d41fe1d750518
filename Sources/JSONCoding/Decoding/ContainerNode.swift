import ASCIIText
@_spi(Reading) import JSONBytes

/// A place from which values are read: the document itself, an array or an object. It knows the way back to the root, so that a
/// coding path is made only where one is asked for.
class ContainerNode {
    /// The document's, at hand without counting references.
    final let text: DocumentText
    /// Of its first byte.
    final let start: Int
    /// What keeps the document: the root has it, the others have their parents.
    private let root: Document?
    private let parent: ContainerNode?
    private let place: Int

    /// The document itself.
    init(of document: Document) {
        text = document.text
        root = document
        parent = nil
        place = 0
        start = 0
    }

    /// - Parameter place: where it stands in `parent`: the number of an element, the offset of a member's name, or what
    ///   `Document.place(ofAbsent:)` gave.
    init(inside parent: ContainerNode, place: Int, start: Int) {
        text = parent.text
        root = nil
        self.parent = parent
        self.place = place
        self.start = start
    }

    /// Found by way of the root: for what is rarely asked.
    final var document: Document {
        var node = self
        while let parent = node.parent { node = parent }
        guard let root = node.root else { preconditionFailure("a node without a document") }
        return root
    }

    final var codingPath: [any CodingKey] {
        parent?.codingPath(of: place) ?? []
    }

    /// The path of the value at a place in this container.
    final func codingPath(of place: Int) -> [any CodingKey] {
        var path = codingPath
        if place < 0 {
            path.append(document.absentKey(at: place))
        } else if let key = key(at: place, path) {
            path.append(key)
        }
        return path
    }

    /// The key of a value at 0 or above; nil where values have none, which is so of the document.
    func key(at place: Int, _ path: [any CodingKey]) -> (any CodingKey)? { nil }
}

final class ArrayNode: ContainerNode {
    /// Found when it is asked for.
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

/// A step of a coding path.
struct PathKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(_ name: String) {
        stringValue = name
        intValue = nil
    }

    /// An element's, named as Foundation names it.
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
