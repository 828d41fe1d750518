import EndpointPlans

/// The problems found so far. Confined to the reading of one configuration.
final class ProblemList {
    struct Entry: Hashable {
        let place: ConfigPlace
        let severity: ConfigProblem.Severity
        let message: String
    }

    /// The most problems that are kept: a file can be wrong in a million places.
    static let capacity = 1000
    /// The most messages that are made. A message may look for a near name, which takes time, and may be
    /// known already.
    private static let mostMessages = 2 * capacity

    private(set) var entries: [Entry] = []
    /// A value behind an anchor is read at each alias, and its problem is told once.
    private var known: Set<Entry> = []
    private(set) var errorCount = 0
    private var messageCount = 0

    func error(_ message: @autoclosure () -> String, at place: ConfigPlace) {
        errorCount += 1
        add(.error, message, place)
    }

    func warning(_ message: @autoclosure () -> String, at place: ConfigPlace) {
        add(.warning, message, place)
    }

    private func add(_ severity: ConfigProblem.Severity, _ message: () -> String, _ place: ConfigPlace) {
        guard entries.count < Self.capacity, messageCount < Self.mostMessages else { return }
        messageCount += 1
        let entry = Entry(place: place, severity: severity, message: message())
        if known.insert(entry).inserted { entries.append(entry) }
    }

    /// Returns the problems in the order of the files and of the places in them.
    ///
    /// - Parameter files: the names of the files, by the index that places have.
    func sorted(files: [String]) -> [ConfigProblem] {
        // Stable, so that problems at one place stay in the order in which they were found.
        entries.enumerated().sorted {
            ($0.element.place, $0.offset) < ($1.element.place, $1.offset)
        }.map { _, entry in
            ConfigProblem(
                severity: entry.severity,
                file: files.indices.contains(entry.place.file) ? files[entry.place.file] : "",
                line: entry.place.line, column: entry.place.column, message: entry.message)
        }
    }
}
