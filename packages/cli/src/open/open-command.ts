import { readFile } from 'node:fs/promises'
import { MAX_PORTABLE_BYTES } from '@signalbox/wire'
import type { Command } from 'commander'
import type { CommandContext } from '../base/command-context.ts'
import { EXIT, formatExitCodes, Unusable } from '../base/io.ts'
import { readNamed, writeNamed } from '../base/named-file.ts'
import { type OpenedBundle, openPortableBundle } from '../portable/index.ts'
import { openedAsJson, openedAsLines } from './opened-text.ts'

/** In addition to the exit codes of every command: signed and complete, but not replayable. */
const NOT_REPLAYABLE = 3

const CODE = {
  verified: EXIT.clean,
  diverged: EXIT.findings,
  refused: EXIT.unusable,
  not_replayable: NOT_REPLAYABLE,
} as const satisfies Record<OpenedBundle['status'], number>

interface Options {
  readonly key?: string
  readonly json: boolean
  readonly page?: string
}

export function addOpen(program: Command, { io, around, done }: CommandContext): void {
  program
    .command('open')
    .description('Verify a portable bundle and recompute its decisions offline')
    .argument('<file>', 'Bundle exported from the console, such as stop_….signalbox')
    .option(
      '--key <key>',
      'Public key of the required signer, or its ID (env: SIGNALBOX_PUBLIC_KEY; default: any signer, shown as unverified)',
    )
    .option('--json', 'Print one JSON object', false)
    .option(
      '--page <file>',
      'Also write an HTML page that contains the bundle and verifies it in a browser',
    )
    .addHelpText(
      'after',
      formatExitCodes('Verified', 'Diverged', 'Refused or unreadable', 'Not replayable'),
    )
    .action(async (file: string, options: Options) => {
      const bytes = await readNamed({ cwd: around.cwd, name: file }, MAX_PORTABLE_BYTES)
      const opened = openPortableBundle(
        bytes,
        // An empty variable counts as unset, as everywhere.
        options.key ?? (around.env['SIGNALBOX_PUBLIC_KEY'] || null),
      )
      if (options.json) io.out(openedAsJson(opened))
      else for (const line of openedAsLines(opened, file)) io.out(line)
      if (options.page !== undefined) {
        await writeNamed({ cwd: around.cwd, name: options.page }, await pageWith(bytes))
        if (!options.json) io.out(`page: ${options.page}`)
      }
      done(CODE[opened.status])
    })
}

const PLACE = '<script type="text/plain" id="bundle"></script>'

/** The page with the bundle embedded. Throws Unusable when the package was built without the page. */
async function pageWith(bundle: Uint8Array): Promise<string> {
  const page = await readPage()
  const filled = `<script type="text/plain" id="bundle">${Buffer.from(bundle).toString('base64')}</script>`
  const at = page.lastIndexOf(PLACE)
  if (at < 0) throw new Unusable('The page of this build has no place for a bundle.')
  return `${page.slice(0, at)}${filled}${page.slice(at + PLACE.length)}`
}

/** HTML file that scripts/build-page.mjs writes next to the built command. */
async function readPage(): Promise<string> {
  try {
    return await readFile(new URL('../portable-page.html', import.meta.url), 'utf8')
  } catch {
    throw new Unusable('The page is not part of this build. Build it with "npm run build:page".')
  }
}
