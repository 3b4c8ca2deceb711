// Tools of the stories. They really read, write and run things, inside the scratch workspace.
import { execFile } from 'node:child_process'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { type Tool, type ToolSet, tool } from 'ai'
import { z } from 'zod'

const run = promisify(execFile)

export function fileTools(root: string): ToolSet {
  const file = z.object({ path: z.string() })
  return {
    list_files: tool({
      description: 'List the files of the workspace.',
      inputSchema: z.object({}),
      execute: async () => (await readdir(root)).sort().join('\n'),
    }),
    read_file: tool({
      description: 'Read a text file.',
      inputSchema: file,
      execute: ({ path: name }) => readFile(path.join(root, name), 'utf8'),
    }),
    write_file: tool({
      description: 'Write a text file.',
      inputSchema: file.extend({ content: z.string() }),
      execute: async ({ path: name, content }) => {
        await writeFile(path.join(root, name), content)
        return `Wrote ${content.length} characters to ${name}.`
      },
    }),
  }
}

function summarizeTests(output: unknown): string {
  return String(output)
    .split('\n')
    .filter((line) => /^# (tests|pass|fail) |^ *not ok /.test(line))
    .map((line) => line.trim())
    .join(', ')
}

/** Fails if a test fails. */
export function testTool(root: string): Tool<Record<string, never>, string> {
  return tool({
    description: 'Run the tests of the workspace.',
    inputSchema: z.object({}),
    execute: async () => {
      const ended = run(process.execPath, ['--test', '--test-reporter=tap'], { cwd: root })
      const { stdout } = await ended.catch((error) => {
        throw new Error(summarizeTests(error.stdout))
      })
      return summarizeTests(stdout)
    },
  })
}
