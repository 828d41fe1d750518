import Sluice
import TestSupport
import Testing

@testable import SampleUpstreams

@Suite("Sample database")
struct SampleDatabaseTests {
    private let scratch = ScratchFolder()

    @Test("A failed migration does not change the file")
    func aStepThatFailsLeavesTheFileAsItWas() throws {
        let file = try SQLiteDatabase(path: scratch.diary, busyTimeout: 0)
        // A later migration creates a table with this name and fails.
        try file.execute(DiaryStore.schema + "CREATE TABLE user_profile (x); PRAGMA user_version = 1;")
        let error = #expect(throws: SampleDataError.self) { try SampleDatabase(path: scratch.diary) }
        #expect(error?.message.contains("user_profile") == true)
        var tables = 0
        try file.prepare("SELECT 1 FROM sqlite_schema WHERE name LIKE 'weather%'").run([]) { _ in tables += 1
        }
        #expect(tables == 0)
    }

    @Test("A failed transaction is rolled back")
    func whatIsWrittenInATransactionThatFailsIsNotThere() throws {
        let database = try SampleDatabase(path: scratch.diary)
        let store = try DiaryStore(database)
        let day = CalendarDate(number: 20_000)
        let error = #expect(throws: SampleDataError.self) {
            try database.transaction { () throws(SampleDataError) in
                try store.set(Weight(grams: 70_000), on: day, .morning)
                throw SampleDataError(path: "x", message: "enough")
            }
        }
        #expect(error?.message == "enough")
        #expect(try store.records(from: day, to: day).isEmpty)
    }

    @Test("A file that has only the diary's table keeps its weights and gets the other tables")
    func aDiaryThatWasAloneKeepsItsWeights() throws {
        let file = try SQLiteDatabase(path: scratch.diary, busyTimeout: 0)
        try file.execute(
            DiaryStore.schema
                + "INSERT INTO weight VALUES ('2026-11-20', 'am', 71500); PRAGMA user_version = 1;")
        let data = try SampleData(path: scratch.diary, now: { 1_795_132_800 })
        let day = try #require(CalendarDate("2026-11-20"))
        #expect(try data.diary.weights(on: day).morning == Weight(grams: 71_500))
        #expect(try data.users.profile("GREEN")?.level == 42)
        #expect(try data.tags.all().count == 8)
        // The file opens again once it has all tables.
        #expect(try SampleData(path: scratch.diary, now: { 0 }).tags.all().count == 8)
    }
}
