import ASCIIText
import EndpointPlans

/// What the types of values need while they read: where problems go, and what is known so far. Confined to
/// the reading of one configuration.
final class ConfigReader {
    let problems: ProblemList
    /// The object whose member is read. Nil within a list, and within a mapping with names of the user.
    private(set) var outer: Shape?
    /// What references may name; nil outside an endpoint.
    var scope: ReferenceScope?
    /// The names of all files. Nil if not all files could be read, so that no name is unknown.
    var upstreamNames: NameList?
    /// The schemas of all files, and what they refer to.
    var schemas: SchemaLibrary?
    /// The upstreams that something names.
    var usedUpstreams: Set<String> = []
    /// Whether an upstream's name is a variable that is not read.
    var usesUnknownUpstream = false
    /// The names that the root file declares: entries of `auth`, limits and stores.
    var authNames = NameList()
    var limitNames = NameList()
    var storeNames = NameList()
    /// The names of these that something uses, and whether a variable that is not read names one.
    var usedAuth: Set<String> = []
    var usedLimits: Set<String> = []
    var usedStores: Set<String> = []
    var usesUnknownAuth = false
    var usesUnknownLimit = false
    var usesUnknownStore = false
    /// Where files come from that settings name; nil if they are not read.
    var files: (any ConfigSource)?
    /// The files that settings name, in the order of reading.
    var readPaths: [String] = []
    /// Whether endpoints outside the files may call the upstreams.
    var hasOtherEndpoints = false
    /// The values of variables and secrets that were read, with the variables as the files have them.
    var variableValues: [String: String] = [:]
    /// The places of values with variables that are not read, so that the values are unknown.
    var unread: Set<ConfigPlace> = []
    /// The names of parts whose `optional` is a variable that is not read: they may be required.
    var partsOfUnknownPolicy: Set<ConfigPlace> = []
    /// The names of parts whose `merge` or `hidden` is a variable that is not read: their place in the answer
    /// is unknown.
    var partsOfUnknownPlace: Set<ConfigPlace> = []
    /// The lists and mappings of JSON with variables in them.
    var variableComposites: Set<ConfigPlace> = []

    init(problems: ProblemList) {
        self.problems = problems
    }

    func error(_ message: @autoclosure () -> String, at place: ConfigPlace) {
        problems.error(message(), at: place)
    }

    /// Reads a value that stands directly in an object.
    func inside<Value>(_ shape: Shape?, _ read: () -> Value) -> Value {
        let before = outer
        outer = shape
        defer { outer = before }
        return read()
    }

    /// Returns a message of a module that does not know of variables, with variables instead of their values.
    func redacted(_ message: String) -> String { Redaction.redact(message, variableValues) }

    /// Returns the scalar of a node. Reports a list, a mapping and, unless the type takes it, null.
    func scalar(_ node: YAMLNode, _ subject: Subject, takesNull: Bool = false) -> YAMLScalar? {
        switch node.content {
        case .scalar(let scalar):
            guard !takesNull, !scalar.isUnknown, YAMLValue(scalar) == .null else { return scalar }
            error("\(subject.text) has no value", at: node.place)
        case .list: error("\(subject.text): a list is not allowed here", at: node.place)
        case .map(let map):
            error(
                UnquotedBraces.message(map) ?? "\(subject.text): a mapping is not allowed here",
                at: node.place)
        case .invalid: break
        }
        return nil
    }
}

/// The member that a message is about: `breaker.failureRate`.
struct Subject {
    let parent: String
    let name: String
    /// The value that its absence means, as YAML writes it; nil if that depends.
    let standard: String?

    init(_ name: String, of parent: String = "", standard: String? = nil) {
        self.parent = parent
        self.name = name
        self.standard = standard
    }

    var text: String { parent.isEmpty ? name : "\(parent).\(name)" }
}

/// Finds braces that were meant as a reference and begin a mapping in YAML: `{path.id}`.
enum UnquotedBraces {
    /// Returns the message if all names of a mapping in braces lack a value.
    static func message(_ map: YAMLMap) -> String? {
        guard let first = map.members.first, map.isFlow, map.members.allSatisfy({ isMissing($0.value) })
        else {
            return nil
        }
        return "quote \"{\(Shown.text(first.name))}\": unquoted braces begin a mapping in YAML"
    }

    /// Returns the message where a mapping is allowed: only for the name of a reference.
    static func messageAboutReference(_ map: YAMLMap) -> String? {
        guard map.members.count == 1, let first = map.members.first, ReferenceRoot.isNamed(in: first.name)
        else {
            return nil
        }
        return message(map)
    }

    private static func isMissing(_ node: YAMLNode) -> Bool {
        guard case .scalar(let scalar) = node.content else { return false }
        return scalar.style == .missing
    }
}
