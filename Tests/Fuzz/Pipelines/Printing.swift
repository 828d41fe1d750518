/// Prints pipelines as pseudo-Swift.
extension Pipeline: CustomStringConvertible {
    var description: String { text("") }

    private func text(_ indent: String) -> String {
        let deeper = indent + "    "
        switch node {
        case .sharing(let id, let sharing):
            let source = inputs[0].text(deeper)
            return "sharing(\n\(deeper)\(source)\n\(deeper)\(sharing.text)) { shared\(id) in\n\(deeper)"
                + inputs[1].text(deeper) + "\n\(indent)}"
        case .deferred, .using:
            return "\(node.text) { \(inputs[0].text(deeper)) }"
        case .merge, .concat, .ambAll, .catchSequence, .combineLatest, .combineLatestAll, .zip, .zipAll:
            let parts = inputs.map { "\n" + deeper + $0.text(deeper) }
            return "\(node.text)([" + parts.joined(separator: ",") + "])"
        default: break
        }
        guard let source = inputs.first else { return node.text }
        let others = inputs.dropFirst().map { "\n" + deeper + $0.text(deeper) }
        let operation = "\(source.text(indent))\n\(indent).\(node.text)"
        return others.isEmpty ? operation : operation + " {" + others.joined(separator: ",") + " }"
    }
}

extension Node {
    /// The name of the case.
    var name: String {
        String("\(self)".prefix { $0 != "(" })
    }

    fileprivate var text: String {
        switch self {
        case .cold(let id, let events): "cold(#\(id), [\(events.text)])"
        case .hot(let id, let events): "hot(#\(id), [\(events.text)])"
        case .create(let id, let events):
            "create(#\(id), [\(events.map(\.description).joined(separator: ", "))])"
        case .shared(let id): "shared\(id)"
        default: plainText
        }
    }

    /// The compiler's description without type names.
    private var plainText: String {
        var text = "\(self)"
        for name in ["Function", "Predicate", "Joining", "RetryTrigger", "Sharing"] {
            while let range = text.firstRange(of: "." + name) {
                let start = text[..<range.lowerBound].lastIndex { !$0.isLetter && !$0.isNumber }
                text.removeSubrange(
                    (start.map { text.index(after: $0) } ?? text.startIndex)..<range.upperBound)
            }
        }
        text.replace(", throwsAt: nil", with: "")
        return text
    }
}

extension Sharing {
    fileprivate var text: String {
        switch self {
        case .share(let replay, let forever):
            ".share(replay: \(replay), scope: \(forever ? ".forever" : ".whileConnected"))"
        case .publishRefCount: ".publish().refCount()"
        case .replayRefCount(let count): ".replay(\(count)).refCount()"
        case .publishSelector: ".multicast { PublishSubject() }"
        case .replaySelector(let count): ".multicast { ReplaySubject.create(bufferSize: \(count)) }"
        }
    }
}

extension Signal: CustomStringConvertible {
    var description: String {
        switch self {
        case .next(let value): "\(value)"
        case .error(let name): "error(\(name))"
        case .completed: "completed"
        }
    }
}

extension TimedSignal: CustomStringConvertible {
    var description: String { "\(time): \(signal)" }
}

extension [TimedSignal] {
    fileprivate var text: String { map(\.description).joined(separator: ", ") }
}

extension Outcome: CustomStringConvertible {
    var description: String {
        let subscriptions = spans.sorted { $0.key < $1.key }.map { id, spans in
            let text = spans.map { "\($0.from)-\($0.to.map(String.init) ?? "")" }.joined(separator: " ")
            return ", #\(id) \(text)"
        }
        return "[\(events.text)]" + subscriptions.joined()
            + (leftovers == 0 ? "" : ", \(leftovers) still scheduled")
    }
}

extension Difference: CustomStringConvertible {
    var description: String {
        """
        \(experiment.pipeline)
        subscribed to at \(Experiment.subscribed), disposed at \(experiment.disposed)
          the model: \(expected)
          Rx:        \(actual)
        """
    }
}
