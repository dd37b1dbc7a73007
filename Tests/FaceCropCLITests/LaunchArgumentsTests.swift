import TestSupport
import Testing

/// Arguments in a process whose environment was moved before its start, as libfaketime does.
@Suite struct LaunchArgumentsTests {
  /// One name is not valid UTF-8, and a worker starts another process.
  @Test func argumentsAreFoundBesideAMovedEnvironment() throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "a.jpg")
      let source = """
        #include <stdlib.h>
        __attribute__((constructor)) static void set(void) { setenv("NEW", "1", 1); }

        """
      try folder.write(source, to: "set.c")
      try Facecrop.prepare("cc -shared -fPIC -o set.so set.c && cp a.jpg $'\\xff.jpg'", in: folder)
      let outcome = try Facecrop.bash(
        """
        export LD_PRELOAD=$PWD/set.so
        facecrop detect a.jpg $'\\xff.jpg' | grep -c '"faces":\\[{'; echo ${PIPESTATUS[0]}
        facecrop batch a.jpg $'\\xff.jpg' -d out --size 32 --jobs 2 --progress none; echo $?
        echo '{"id":1,"input":"a.jpg","output":"b.jpg"}' | facecrop batch --worker --jobs 1 --size 32 |
          grep -c '"status":"cropped"'
        facecrop detect --nonsense a.jpg 2> /dev/null; echo $?
        """, currentDirectory: folder.path)
      #expect(outcome.lines == ["2", "0", "0", "1", "64"], "\(outcome.stderr)")
      #expect(try folder.manifest().count("cropped") == 2)
    }
  }
}
