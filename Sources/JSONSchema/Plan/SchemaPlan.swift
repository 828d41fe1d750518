/// A node of a plan, by its index: what must hold together for one value.
typealias NodeID = Int32

/// A schema as flat tables, made for one pass over the bytes of a value.
///
/// A node is what several schemas say about one value together: a schema with its references and `allOf`.
/// Only what may fail without consequence (`anyOf`, `not`, ...) has nodes of its own at the same value.
struct SchemaPlan: Sendable {
    /// Accepts all values, so that nobody looks at them.
    static let anything: NodeID = 0
    /// Refuses all values.
    static let nothing: NodeID = 1

    struct Node: Sendable {
        var types = TypeSet.all
        /// Whether parts of it are tried, so that it needs the memory of a `SchemaScratch`.
        var isComposed = false
        /// Whether it only has types and rules: without values, dispatch, or schemas that are tried.
        var isPlain = true
        /// Indices of rules; -1 without one.
        var number: Int32 = -1
        var string: Int32 = -1
        var array: Int32 = -1
        var object: Int32 = -1
        /// The first of six nodes in `nodeList`: what holds for a value of each type; -1 if types make
        /// no difference.
        var dispatch: Int32 = -1
        /// Ranges of `valueSets` and `folds`.
        var values = Span()
        var folds = Span()
    }

    struct Span: Sendable {
        var start: Int32 = 0
        var count: Int32 = 0

        @inline(__always) var range: Range<Int> { Int(start)..<Int(start &+ count) }
        @inline(__always) var isEmpty: Bool { count == 0 }
    }

    struct NumberRule: Sendable {
        /// Indices in `bounds`; -1 without a bound.
        var lower: Int32 = -1
        var upper: Int32 = -1
        var isLowerExclusive = false
        var isUpperExclusive = false
        /// The least and the largest integer of 64 bits that the bounds allow.
        var least = Int.min
        var most = Int.max
        var divisors = Span()
        var formats = Span()
    }

    struct StringRule: Sendable {
        var least = 0
        var most = Int.max
        /// Ranges of `patternList` and `formatList`.
        var patterns = Span()
        var formats = Span()
    }

    struct ArrayRule: Sendable {
        var least = 0
        var most = Int.max
        var isUnique = false
        /// The nodes of the first elements, in `nodeList`.
        var first = Span()
        var rest = SchemaPlan.anything
        var contains = Span()
        var groups = Span()
    }

    struct ContainsRule: Sendable {
        var node: NodeID
        var least: Int
        var most: Int
    }

    struct ObjectRule: Sendable {
        var least = 0
        var most = Int.max
        /// The names that it knows: a `NameTable` in `slots`.
        var table = NameTable()
        /// The number of known names whose presence matters.
        var noted: Int32 = 0
        /// The words of the bits of required names, in `masks`.
        var required = Span()
        /// `required`, if at most 64 names matter.
        var requiredBits: UInt64 = 0
        var dependencies = Span()
        /// The node of members with other names, together with the nodes that `parts` find.
        var rest = SchemaPlan.anything
        var parts = Span()
        var names = SchemaPlan.anything
        var groups = Span()
        /// Where `SchemaScratch` guesses the first name; -1 if names are not guessed.
        var firstGuess: Int32 = -1
    }

    /// A name that requires others.
    struct Dependency: Sendable {
        var name: Int32
        /// The bits of the names that it requires, in `masks`.
        var needs: Span
        var needBits: UInt64
    }

    /// Patterns of names, and the node of names that none of them matches.
    struct PatternPart: Sendable {
        var patterns: Span
        var rest: NodeID
    }

    struct PatternEntry: Sendable {
        var pattern: Int32
        var node: NodeID
    }

    /// How the verdicts of nodes at one value become one.
    struct Fold: Sendable {
        enum Kind: UInt8, Sendable { case anyOf, oneOf, not, condition, dependency }

        var kind: Kind
        /// In `nodeList`. A condition has three: if, then, else.
        var nodes: Span
        /// Of a dependency: the name, by its number.
        var name: Int32 = -1
    }

    /// `unevaluatedProperties` or `unevaluatedItems` of a schema with others that are tried.
    struct Group: Sendable {
        /// What the unconditional schemas evaluate.
        var cover: Int32
        var node: NodeID
        /// The schemas that are tried and evaluate more, in `entries`.
        var entries: Span
        /// The names whose presence applies schemas of `dependentSchemas`, with their numbers.
        var presence = NameTable()
        var presenceCount: Int32 = 0
        /// The rules of `contains` whose elements count, one bit each.
        var contains: UInt64 = 0
    }

    struct GroupEntry: Sendable {
        var cover: Int32
        var node: NodeID
        /// The entry of the same group that must succeed, too; -1 for none.
        var parent: Int32
        /// A node that must fail: the condition of an `else`. -1 for none.
        var refuted: NodeID = -1
        /// The number of a name that must be there; -1 for none.
        var presence: Int32 = -1
    }

    /// Which members and elements a schema evaluates.
    struct Cover: Sendable {
        var coversAll = false
        var table = NameTable()
        /// Indices of patterns, in `patternList`.
        var patterns = Span()
        /// The first elements; all of them with `coversAllItems`.
        var items = 0
        var coversAllItems = false
    }

    var nodes: ContiguousArray<Node> = []
    var numbers: ContiguousArray<NumberRule> = []
    var strings: ContiguousArray<StringRule> = []
    var arrays: ContiguousArray<ArrayRule> = []
    var objects: ContiguousArray<ObjectRule> = []
    var contains: ContiguousArray<ContainsRule> = []
    var folds: ContiguousArray<Fold> = []
    var groups: ContiguousArray<Group> = []
    var entries: ContiguousArray<GroupEntry> = []
    var covers: ContiguousArray<Cover> = []
    var parts: ContiguousArray<PatternPart> = []
    var partPatterns: ContiguousArray<PatternEntry> = []
    var dependencies: ContiguousArray<Dependency> = []
    var masks: ContiguousArray<UInt64> = []
    var nodeList: ContiguousArray<NodeID> = []
    var patternList: ContiguousArray<Int32> = []
    var formatList: ContiguousArray<Format> = []
    var divisors: ContiguousArray<Decimal> = []
    var bounds: ContiguousArray<DecimalBound> = []
    /// Ranges of `digests`: the values of each `const` and `enum`, in order.
    var valueSets: ContiguousArray<Span> = []
    var digests: ContiguousArray<ValueDigest> = []
    var slots: ContiguousArray<NameTable.Slot> = []
    var nameBytes: ContiguousArray<UInt8> = []
    var patterns: ContiguousArray<ECMAPattern> = []
    var limits = SchemaBounds()
}
