import TestSupport
import Testing

/// Arguments in a process whose environment was moved before its start, as libfaketime does, or without /proc.
@Suite struct LaunchArgumentsTests {
  /// A sandbox may have no /proc. Here all calls miss it, and the environment is moved, because the kernel's stack has
  /// the arguments in any case. One name is not valid UTF-8, and a worker starts another process.
  @Test func nothingNeedsProc() throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "a.jpg")
      let source = """
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <errno.h>
        #include <fcntl.h>
        #include <stdarg.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <string.h>
        #include <sys/stat.h>
        #include <unistd.h>

        __attribute__((constructor)) static void set(void) { setenv("NEW", "1", 1); }
        static int missing(const char *path) {
          if (strncmp(path, "/proc", 5) != 0) return 0;
          errno = ENOENT;
          return 1;
        }
        #define NEXT(name) __typeof__(&name) next = (__typeof__(&name))dlsym(RTLD_NEXT, #name)
        int open(const char *path, int flags, ...) {
          va_list rest;
          va_start(rest, flags);
          const mode_t mode = va_arg(rest, mode_t);
          va_end(rest);
          NEXT(open);
          return missing(path) ? -1 : next(path, flags, mode);
        }
        FILE *fopen(const char *path, const char *mode) {
          NEXT(fopen);
          return missing(path) ? NULL : next(path, mode);
        }
        int fstatat(int folder, const char *path, struct stat *status, int flags) {
          NEXT(fstatat);
          return missing(path) ? -1 : next(folder, path, status, flags);
        }
        ssize_t readlink(const char *path, char *text, size_t count) {
          NEXT(readlink);
          return missing(path) ? -1 : next(path, text, count);
        }
        int linkat(int from, const char *path, int to, const char *name, int flags) {
          NEXT(linkat);
          return missing(path) ? -1 : next(from, path, to, name, flags);
        }

        """
      try folder.write(source, to: "hide.c")
      try Facecrop.prepare("cc -shared -fPIC -o hide.so hide.c && cp a.jpg $'\\xff.jpg'", in: folder)
      let outcome = try Facecrop.bash(
        """
        export LD_PRELOAD=$PWD/hide.so
        facecrop detect a.jpg $'\\xff.jpg' | grep -c '"faces":\\[{'
        facecrop crop a.jpg -o b.jpg --progress none; echo $?
        facecrop batch a.jpg $'\\xff.jpg' -d out --size 32 --jobs 2 --progress none; echo $?
        echo '{"id":1,"input":"a.jpg","output":"c.jpg"}' | facecrop batch --worker --jobs 1 --size 32 |
          grep -c '"status":"cropped"'
        facecrop detect --nonsense a.jpg 2> /dev/null; echo $?
        """, currentDirectory: folder.path)
      #expect(outcome.lines == ["2", "0", "0", "1", "64"], "\(outcome.stderr)")
      #expect(try folder.manifest().count("cropped") == 2)
      #expect(try folder.names().contains("b.jpg"))
    }
  }
}
