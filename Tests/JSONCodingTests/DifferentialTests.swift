import Foundation
import JSONBytes
import JSONCoding
import Testing

/// Our coders beside Foundation's: the same values and the same errors at the same places, and the same text of a value.
///
/// Known differences are those of the coders' documentation; what of them these documents bring up is told apart in `Outcome`.
@Suite("Beside Foundation's coders")
struct DifferentialTests {
    @Test("Documents of each shape mean the same", arguments: Candidate.all)
    func documentsOfEachShapeMeanTheSame(_ candidate: Candidate) {
        for document in candidate.documents {
            let outcomes = candidate.outcomes(Array(document.utf8))
            for outcome in outcomes { #expect(outcome.ours == outcome.theirs, "\(document)") }
        }
        let isRead = candidate.documents.contains { candidate.outcomes(Array($0.utf8)).count > 1 }
        #expect(isRead, "at least one of the documents is of the shape")
    }

    @Test("Changed documents mean the same, or fail alike", arguments: Candidate.all)
    func changedDocumentsMeanTheSame(_ candidate: Candidate) throws {
        var generator = SeededGenerator(seed: 7)
        var failed = 0
        let rounds = 400
        for round in 0..<rounds {
            let document = candidate.documents[round % candidate.documents.count]
            var tree = DocumentTree(try JSONFragment(validating: Array(document.utf8)[...]))
            for _ in 0...Int.random(in: 0...2, using: &generator) {
                tree.change(at: Int.random(in: 0..<tree.count, using: &generator), &generator)
            }
            let text = tree.text(&generator)
            let outcomes = candidate.outcomes(Array(text.utf8))
            for outcome in outcomes { #expect(outcome.ours == outcome.theirs, "\(text)") }
            if case .failure = outcomes[0].ours { failed += 1 }
        }
        #expect(failed > rounds / 20, "changes that nothing minds test nothing")
    }
}
