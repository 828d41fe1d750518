import Foundation
import Sluice
import TestSupport
import Testing

@testable import SampleUpstreams

@Suite("Diary database")
struct DiaryStoreTests {
    private let scratch = ScratchFolder()

    private func day(_ text: String) throws -> CalendarDate { try #require(CalendarDate(text)) }

    @Test("A file that is not a database is rejected by name and left unchanged")
    func aFileThatIsNoDatabaseIsRefused() throws {
        let text = String(repeating: "not a database\n", count: 100)
        try text.write(toFile: scratch.diary, atomically: true, encoding: .utf8)
        let error = #expect(throws: SampleDataError.self) { try DiaryStore(path: scratch.diary) }
        #expect(error?.description.contains(scratch.diary) == true)
        #expect(error?.description.contains("file is not a database") == true)
        #expect(try String(contentsOfFile: scratch.diary, encoding: .utf8) == text)
    }

    @Test("A file with a newer schema version is rejected")
    func aFileOfALaterVersionIsRefused() throws {
        _ = try DiaryStore(path: scratch.diary)
        try SQLiteDatabase(path: scratch.diary, busyTimeout: 0).execute("PRAGMA user_version = 7")
        let error = #expect(throws: SampleDataError.self) { try DiaryStore(path: scratch.diary) }
        #expect(error?.message.contains("version 7") == true)
    }

    @Test("The error for a folder that cannot be created names it")
    func aFolderThatCannotBeMadeIsNamed() throws {
        try "".write(toFile: scratch.file("file"), atomically: true, encoding: .utf8)
        let path = scratch.file("file/inside/diary.sqlite3")
        let error = #expect(throws: SampleDataError.self) { try DiaryStore(path: path) }
        #expect(error?.message == "cannot create the folder \(scratch.path)/file/inside: Not a directory")
        #expect(throws: SampleDataError.self) { try DiaryStore(path: scratch.path) }
    }

    @Test("If another connection holds the lock, the write fails and nothing is written")
    func aLockThatAnotherProcessHoldsEndsInAnError() throws {
        let store = try DiaryStore(path: scratch.diary, busyTimeout: 10)
        let other = try SQLiteDatabase(path: scratch.diary, busyTimeout: 0)
        try other.execute("BEGIN IMMEDIATE")
        let day = try day("2026-11-20")
        let error = #expect(throws: SampleDataError.self) {
            try store.set(Weight(grams: 70_000), on: day, .morning)
        }
        #expect(error?.message == "cannot write the file: database is locked")
        // Readers do not wait for a writer.
        #expect(try store.records(from: day, to: day).isEmpty)
        try other.execute("ROLLBACK")
        try store.set(Weight(grams: 70_000), on: day, .morning)
        #expect(try store.records(from: day, to: day).count == 1)
    }

    @Test("Written and deleted weights persist")
    func whatWasWrittenAndDeletedIsThereInTheNextRun() throws {
        let first = try day("2026-11-19")
        let second = try day("2026-11-20")
        do {
            let store = try DiaryStore(path: scratch.diary)
            try store.set(Weight(grams: 71_500), on: second, .evening)
            try store.set(Weight(grams: 70_000), on: first, .morning)
            try store.set(Weight(grams: 70_001), on: first, .morning)
            try store.set(nil, on: second, .morning)
        }
        let store = try DiaryStore(path: scratch.diary)
        let records = try store.records(from: first, to: second)
        #expect(
            Set(records.map { "\($0.day) \($0.half) \($0.weight?.grams ?? 0)" }) == [
                "2026-11-19 morning 70001", "2026-11-20 evening 71500", "2026-11-20 morning 0",
            ])
        #expect(try store.records(from: first, to: first).map(\.day) == [first])
        #expect(try store.records(from: second.advanced(by: 1), to: CalendarDate.last).isEmpty)
    }

    @Test("The weights of a file from before there were visitors are those of everybody")
    func migration() throws {
        let old = try SQLiteDatabase(path: scratch.diary, busyTimeout: 0)
        try old.execute(DiaryStore.schema)
        try old.execute("INSERT INTO weight VALUES ('2026-11-20', 'am', 70000), ('2026-11-20', 'pm', NULL)")
        for schema in [WeatherStations.schema, PathStore.schema, UserDirectory.schema, TagStore.schema] {
            try old.execute(schema)
        }
        try old.execute("PRAGMA user_version = 5")
        let store = try DiaryStore(path: scratch.diary)
        let day = try day("2026-11-20")
        let visitor = try SampleVisitor("0123456789abcdef")
        for visitor in [nil, visitor] {
            let records = try store.records(from: day, to: day, of: visitor)
            #expect(records.map(\.half) == [.morning, .evening])
            #expect(records.map(\.weight) == [Weight(grams: 70_000), nil])
        }
    }

    @Test("The weights of the visitor whose last write is the oldest make room for those of a new one")
    func visitorLimit() throws {
        let database = try SampleDatabase(path: scratch.diary)
        let store = try DiaryStore(database, visitorLimit: 2)
        let day = try day("2026-11-20")
        let visitors = try (1...3).map { try SampleVisitor(String(repeating: "\($0)", count: 16)) }
        try store.set(Weight(grams: 50_000), on: day, .morning)
        for index in [0, 1, 0, 2] {
            try store.set(Weight(grams: 60_000 + index), on: day, .morning, of: visitors[index])
        }
        let weights = try visitors.map { try store.records(from: day, to: day, of: $0).last?.weight?.grams }
        #expect(weights == [60_000, 50_000, 60_002])
    }

    @Test("A visitor who has recorded a thousand weights can record no more")
    func recordLimit() throws {
        let store = try DiaryStore(path: scratch.diary)
        let today = try day("2026-11-20")
        let visitor = try SampleVisitor("0123456789abcdef")
        try store.transaction { () throws(SampleDataError) in
            for index in 1..<DiaryStore.recordLimit {
                try store.set(nil, on: today.advanced(by: -index), .morning, of: visitor)
            }
        }
        let diary = Diary(store: store, today: { today })
        let last = try diary.record(Weight(grams: 70_000), on: today, .morning, of: visitor)
        #expect(last == .done(try diary.weights(on: today, of: visitor)))
        #expect(try diary.record(nil, on: today, .evening, of: visitor) == .tooMany)
        #expect(try diary.weights(on: today, of: visitor).evening != nil)
    }

    @Test("A second connection reads what the first has written")
    func aConnectionOfAnotherProcessReadsWhatWasWritten() throws {
        let here = try DiaryStore(path: scratch.diary)
        let there = try DiaryStore(path: scratch.diary)
        let day = try day("2026-11-20")
        try here.set(Weight(grams: 71_500), on: day, .morning)
        #expect(try there.records(from: day, to: day).first?.weight?.grams == 71_500)
    }

    @Test("Missing folders are created, accessible only to their owner")
    func theFoldersOnTheWayAreMadeForTheirOwnerOnly() throws {
        _ = try DiaryStore(path: scratch.file("a/b/diary.sqlite3"))
        let attributes = try FileManager.default.attributesOfItem(atPath: scratch.file("a/b"))
        #expect(attributes[.posixPermissions] as? Int == 0o700)
    }

    @Test("The default path follows the XDG Base Directory Specification")
    func theDefaultPlaceFollowsTheXDGRules() throws {
        let path = DataFolder.defaultDataPath(environment:)
        #expect(throws: SampleDataError.self) { try path([:]) }
        #expect(throws: SampleDataError.self) { try path(["HOME": ""]) }
        #expect(throws: SampleDataError.self) { try path(["HOME": "home/me", "XDG_DATA_HOME": "data"]) }
        #expect(try path(["HOME": "/home/me"]) == "/home/me/.local/share/sluice/diary.sqlite3")
        #expect(
            try path(["HOME": "/home/me", "XDG_DATA_HOME": ""])
                == "/home/me/.local/share/sluice/diary.sqlite3")
        #expect(
            try path(["HOME": "/home/me", "XDG_DATA_HOME": "rel"])
                == "/home/me/.local/share/sluice/diary.sqlite3")
        #expect(try path(["HOME": "/home/me", "XDG_DATA_HOME": "/data"]) == "/data/sluice/diary.sqlite3")
        #expect(try path(["XDG_DATA_HOME": "/data/"]) == "/data/sluice/diary.sqlite3")
    }
}
