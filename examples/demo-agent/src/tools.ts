// Tools of the demo agent. They really read, write and run things, inside the scratch workspace.
import { execFile } from 'node:child_process'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { type ToolSet, tool } from 'ai'
import { z } from 'zod'

const run = promisify(execFile)

export function workspaceTools(root: string): ToolSet {
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
    run_tests: tool({
      description: 'Run the tests of the workspace.',
      inputSchema: z.object({}),
      execute: async () => {
        const { stdout } = await run(process.execPath, ['--test'], {
          cwd: root,
        })
        return stdout
          .split('\n')
          .filter((line) => /^# (tests|pass|fail) /.test(line))
          .join(', ')
      },
    }),
    publish_notes: tool({
      description: 'Publish the release notes.',
      inputSchema: z.object({ channel: z.string(), publish_key: z.string() }),
      execute: async ({ channel }) => {
        const notes = await readFile(path.join(root, 'RELEASE_NOTES.md'), 'utf8')
        await writeFile(path.join(root, 'PUBLISHED.md'), notes)
        return `Published to ${channel}.`
      },
    }),
  }
}
