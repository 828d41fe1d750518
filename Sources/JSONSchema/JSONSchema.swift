import ASCIIText
@_spi(Reading) public import JSONBytes
import Locking

/// A JSON Schema of draft 2020-12 or draft-07, compiled once and used for any number of values on any thread.
///
/// ```swift
/// let order = try JSONSchema(json: text, documents: ["https://schemas.example.com/line": line])
/// for fault in order.faults(in: fragment) { print(fault.instance, fault.keyword) }
/// ```
///
/// Nothing is fetched: references lead to the schema itself, to the documents and to the metaschemas of both
/// drafts. The work of a check is bounded by the size of the value.
public struct JSONSchema: Sendable {
    final class Storage: Sendable {
        let set: SchemaSet
        let plan: PlanStorage
        /// The node of the whole value.
        let root: NodeID
        let scratches: Lock<ScratchPool>

        init(_ set: SchemaSet, _ plan: PlanStorage, _ root: NodeID) {
            self.set = set
            self.plan = plan
            self.root = root
            scratches = Lock(ScratchPool())
        }
    }

    let storage: Storage
    /// What is probably not meant: unknown words, and words without effect.
    public let warnings: [SchemaProblem]

    /// Reads and compiles a schema.
    ///
    /// - Parameters:
    ///   - json: the schema, as JSON text.
    ///   - documents: JSON texts by the URIs by which schemas refer to them.
    ///   - options: the draft, and what formats mean.
    /// - Throws: all problems, with line and column.
    public init(
        json: String, documents: [String: String] = [:], options: SchemaOptions = SchemaOptions()
    ) throws(JSONSchemaError) {
        let sources = documents.mapValues { SchemaCatalog.Source.json(Array($0.utf8)[...]) }
        let document: SchemaDocument
        do throws(SchemaProblem) {
            document = try SchemaDocument(json: Array(json.utf8)[...], named: "")
        } catch {
            throw JSONSchemaError([error])
        }
        try self.init(document, catalog: SchemaCatalog(sources), options: options)
    }

    /// Compiles a document that has been read.
    ///
    /// - Parameters:
    ///   - document: the schema.
    ///   - name: what problems call it.
    ///   - title: what messages call its root; by default the name.
    ///   - uri: the URI against which its references are resolved.
    ///   - catalog: the documents to which references may lead.
    ///   - options: the draft, and what formats mean.
    package init(
        _ document: SchemaDocument, named name: String = "", title: String? = nil, uri: String? = nil,
        catalog: SchemaCatalog = SchemaCatalog(), options: SchemaOptions = SchemaOptions()
    ) throws(JSONSchemaError) {
        var resources = SchemaResources(catalog: catalog, options: options)
        let root = resources.add(
            document, named: name, title: title, uri: uri ?? SchemaResources.base, isOwn: true)
        let group = try Self.compile(resources, options) { reader in [reader.read(root)] }
        (storage, warnings) = (group.storages[0], group.warnings)
    }

    init(_ storage: Storage) {
        self.storage = storage
        warnings = []
    }

    /// Compiles the schemas whose roots `read` reads.
    static func compile(
        _ resources: SchemaResources, _ options: SchemaOptions, read: (inout SchemaReader) -> [FactsID]
    ) throws(JSONSchemaError) -> (storages: [Storage], warnings: [SchemaProblem]) {
        var reader = SchemaReader(resources, options: options)
        let roots = read(&reader)
        var set = SchemaSet(root: roots.first ?? 0, bounds: options.bounds)
        set.facts = reader.facts
        set.patterns = reader.patterns
        set.documents = reader.resources.documents.map(\.name)
        set.titles = reader.resources.documents.map(\.title)
        set.trees = reader.resources.documents.map(\.tree)
        set.targets = reader.resources.targets
        if options.exemption != nil { set.exemptMembers() }
        var problems = Set(reader.resources.problems)
        if let problem = SchemaCycles.problem(in: set, reader.resources) { problems.insert(problem) }
        let errors = problems.filter { !$0.isWarning }
        guard errors.isEmpty else { throw JSONSchemaError(sorted(errors), all: sorted(problems)) }
        var compiler = SchemaCompiler(set)
        let (plan, nodes) = compiler.compile(roots)
        guard !compiler.isFull else {
            let root = set.facts[set.root]
            let message = "a schema makes at most \(options.bounds.nodes) nodes"
            throw JSONSchemaError([
                SchemaProblem(
                    document: set.documents[root.location.document], place: root.place, message: message)
            ])
        }
        set.asksForEvaluation = compiler.asksForEvaluation
        let shared = PlanStorage(plan)
        let storages = zip(roots, nodes).map { root, node in
            set.root = root
            return Storage(set, shared, node)
        }
        return (storages, sorted(problems))
    }

    private static func sorted(_ problems: Set<SchemaProblem>) -> [SchemaProblem] {
        problems.sorted { ($0.document, $0.place, $0.message) < ($1.document, $1.place, $1.message) }
    }

    // MARK: - Checking

    /// Whether a value follows the schema. A check that would exceed a bound refuses the value.
    public func accepts(_ value: JSONFragment) -> Bool { verdict(on: value) == .accepted }

    /// Returns what is wrong with a value, at most 20 faults; none if it follows the schema.
    public func faults(in value: JSONFragment) -> [SchemaFault] {
        switch check(value) {
        case .accepted: []
        case .refused(let faults): faults
        case .exceeded(let fault): [fault]
        }
    }

    /// What a check has found.
    package enum Outcome: Sendable {
        case accepted
        case refused([SchemaFault])
        /// The check would take more work than its bound.
        case exceeded(SchemaFault)
    }

    /// Checks a value and explains a refusal.
    package func check(_ value: JSONFragment) -> Outcome {
        let (verdict, _, _, stop) = measured(value)
        switch verdict {
        case .accepted: return .accepted
        case .tooMuchWork: return .exceeded(costFault)
        case .patternTooCostly:
            return .exceeded(boundFault("pattern", "a text that takes less work to match"))
        case .refused:
            let work = min(storage.set.bounds.work(for: value.bytes.count), SchemaExplanation.mostWork)
            let faults = explanation(of: value, work: work, stop: stop)
            return faults.isEmpty ? .exceeded(costFault) : .refused(faults)
        }
    }

    private var costFault: SchemaFault { boundFault("cost", "a value that takes less work to check") }

    private func boundFault(_ keyword: String, _ rule: String) -> SchemaFault {
        let root = storage.set.facts[storage.set.root]
        return SchemaFault(
            instance: "", keyword: keyword, rule: rule,
            document: storage.set.documents[root.location.document], place: root.place, steps: [])
    }

    /// Returns the faults that the schemas themselves tell, without a look at the plan.
    package func explanation(of value: JSONFragment) -> [SchemaFault] {
        explanation(of: value, work: storage.set.bounds.work(for: value.bytes.count), stop: 0)
    }

    private func explanation(of value: JSONFragment, work: Int, stop: Int) -> [SchemaFault] {
        value.bytes.withUnsafeBytes { bytes in
            SchemaRun.reading(bytes) { reader in
                SchemaExplanation.with(storage.set, reader, work: work, stop: stop) { $0.explain() }
            }
        }
    }

    func verdict(on value: JSONFragment) -> SchemaRun.Verdict { measured(value).verdict }

    /// The verdict, the work that it took, the windows in which patterns were searched, and where the run has
    /// stopped.
    func measured(
        _ value: JSONFragment
    ) -> (verdict: SchemaRun.Verdict, work: Int, windows: Int, stop: Int) {
        var scratch = SchemaScratch()
        storage.scratches.withLock { $0.take(&scratch) }
        let tables = PlanTables(storage.plan, root: storage.root)
        let measured = value.bytes.withUnsafeBytes { bytes in
            SchemaRun.reading(bytes) { reader in
                var run = SchemaRun(tables, reader)
                swap(&run.scratch, &scratch)
                let verdict = run.verdict()
                let work = tables.plan.limits.work(for: bytes.count) - run.work
                swap(&run.scratch, &scratch)
                return (verdict, work, run.patternBudget.windows, run.cursor.index)
            }
        }
        scratch.reset()
        storage.scratches.withLock { $0.giveBack(&scratch) }
        return measured
    }
}
