import ASCIIText
import EndpointPlans

/// A value of a YAML document. Aliases are replaced by the values of their anchors, and merge keys by the
/// members they add.
struct YAMLNode: Sendable {
    enum Content: Sendable {
        case scalar(YAMLScalar)
        case list([YAMLNode])
        case map(YAMLMap)
        /// A value about which a problem has been reported.
        case invalid
    }

    let place: ConfigPlace
    let content: Content
    /// The number of values in it, keys and itself included, with each use of an anchor counted.
    let size: Int
    /// 0 for a scalar, 1 for a list of scalars.
    let height: Int

    init(_ content: Content, at place: ConfigPlace, size: Int = 1, height: Int = 0) {
        self.content = content
        self.place = place
        self.size = size
        self.height = height
    }
}

extension YAMLNode {
    /// Whether it is a mapping, or nothing stands where one could.
    var isMappingOrEmpty: Bool {
        switch content {
        case .map: true
        case .scalar(let scalar): !scalar.isUnknown && YAMLValue(scalar) == .null
        case .list, .invalid: false
        }
    }

    /// The place of the first text with a variable in it.
    var firstVariable: ConfigPlace? {
        switch content {
        case .scalar(let scalar): scalar.substitution?.hasVariable == true ? place : nil
        case .list(let items): items.lazy.compactMap(\.firstVariable).first
        case .map(let map): map.members.lazy.compactMap(\.value.firstVariable).first
        case .invalid: nil
        }
    }
}

/// A mapping, in the order of the file.
struct YAMLMap: Sendable {
    var members: [YAMLMember]
    /// Whether it is written in braces.
    let isFlow: Bool

    /// Names are compared as text; a mapping has few, so a search beats a dictionary.
    subscript(name: String) -> YAMLMember? {
        // By index, so that only the found member is copied.
        for index in members.indices where members[index].name == name { return members[index] }
        return nil
    }
}

struct YAMLMember: Sendable {
    let name: String
    let namePlace: ConfigPlace
    let value: YAMLNode
}

/// A text of a YAML document, with its style.
struct YAMLScalar: Sendable {
    enum Style: Sendable {
        /// Without quotes: a number, a Boolean, null or text.
        case plain
        /// In quotes or a block: always text.
        case quoted
        /// The value of a name without a colon, as `{name}` has it.
        case missing
    }

    /// With the values of its variables.
    let text: String
    let style: Style
    /// How the text is composed; nil without variables.
    var substitution: Substitution?

    /// Whether its value is known only when the gateway runs.
    var isUnknown: Bool { substitution?.isUnknown ?? false }

    /// The text as the file has it, for messages: a value of a variable is not shown.
    var shown: String { "\"\(Shown.text(substitution?.written ?? text))\"" }
}
