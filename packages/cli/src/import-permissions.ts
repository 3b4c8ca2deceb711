// signalbox import-permissions: turns the permissions of a coding agent into a config, with a report (specs/import-permissions.md).

import fs from 'node:fs'
import path from 'node:path'
import { plural } from '@signalbox/core/analysis'
import { Argument, type Command } from 'commander'
import type { CommandContext } from './base/command-context.ts'
import { EXIT, formatExitCodes, type Io, Unusable } from './base/io.ts'
import { readNamed, writeNamed } from './base/named-file.ts'
import { printable } from './base/printable.ts'
import type { Surroundings } from './base/surroundings.ts'
import {
  type Conversion,
  guessLevel,
  type ImportedPermissions,
  importPermissions,
  type Level,
  MAX_BYTES,
  PERMISSION_SOURCES,
  type PermissionFile,
  type PermissionSource,
  type ReportLine,
  requireFewFiles,
} from './permissions/index.ts'
import { parsePrompt } from './remote/folder.ts'

interface Options {
  readonly prompt: string
  readonly out?: string
  readonly shadow: boolean
  readonly json: boolean
}

const CONVERSIONS: { readonly [Name in Conversion]: string } = {
  exact: 'exact',
  stricter: 'stricter',
  not_needed: 'not needed',
  not_carried: 'not carried',
}

export function addImportPermissions(program: Command, { io, around, done }: CommandContext): void {
  program
    .command('import-permissions')
    .description('Turn the permissions of a coding agent into a config, with a report')
    .addArgument(new Argument('<agent>', 'Agent').choices(PERMISSION_SOURCES))
    .argument('[files...]', "The agent's files; by default those of this folder and user")
    .requiredOption('--prompt <ns/key>', 'Prompt that the config is for')
    .option('--out <file>', 'File for the config, instead of standard output')
    .option('--shadow', 'Only record what the rules would do', false)
    .option('--json', 'Print config and report as one JSON object', false)
    .addHelpText(
      'after',
      formatExitCodes('Every entry is covered', 'An entry is not carried', 'Unusable input'),
    )
    .action(async (agent: PermissionSource, names: readonly string[], options: Options) => {
      const files = await readFiles(agent, names, around)
      const imported = importPermissions(agent, files, parsePrompt(options.prompt))
      const { lines } = imported
      const document = options.shadow ? inShadow(imported.document) : imported.document
      await printImport({ io, cwd: around.cwd, options }, { ...imported, document })
      const isLost = lines.some(({ conversion }) => conversion === 'not_carried')
      done(isLost ? EXIT.findings : EXIT.clean)
    })
}

interface Output {
  readonly io: Io
  readonly cwd: string
  readonly options: Options
}

async function printImport(
  { io, cwd, options }: Output,
  imported: ImportedPermissions,
): Promise<void> {
  const { document: config, lines: report, limits } = imported
  const { out, json } = options
  const text = JSON.stringify(config, null, 2)
  if (out !== undefined) await writeNamed({ cwd, name: out }, `${text}\n`)
  if (json) return io.out(JSON.stringify({ config, report, limits }))
  if (out !== undefined) {
    printReport(io.out, imported)
    return io.out(printable(`The config was written to ${out}.`))
  }
  io.out(text)
  // Standard output holds the config alone.
  printReport(io.err, imported)
}

function inShadow(document: ImportedPermissions['document']): ImportedPermissions['document'] {
  const { policies = [] } = document
  return { ...document, policies: policies.map((policy) => ({ ...policy, mode: 'shadow' })) }
}

/** Files that an agent reads in a folder, with their levels. */
function usualFiles(
  agent: PermissionSource,
  { cwd, home }: Surroundings,
): readonly (readonly [file: string, level: Level])[] {
  const own = (name: string) => path.join(home, name)
  return agent === 'claude'
    ? [
        ['/etc/claude-code/managed-settings.json', 'managed'],
        ['/Library/Application Support/ClaudeCode/managed-settings.json', 'managed'],
        [path.join(cwd, '.claude/settings.local.json'), 'local'],
        [path.join(cwd, '.claude/settings.json'), 'project'],
        [own('.claude/settings.json'), 'user'],
      ]
    : [
        ['/etc/codex/requirements.toml', 'managed'],
        [path.join(cwd, '.codex/config.toml'), 'project'],
        [own('.codex/config.toml'), 'user'],
        [own('.codex/rules/default.rules'), 'user'],
      ]
}

async function readFiles(
  agent: PermissionSource,
  names: readonly string[],
  around: Surroundings,
): Promise<readonly PermissionFile[]> {
  const { cwd } = around
  const usual = usualFiles(agent, around)
  const found = usual.flatMap(([file]) => (fs.existsSync(file) ? [file] : []))
  if (names.length === 0 && found.length === 0) {
    const places = usual.map(([file]) => file).join(', ')
    throw new Unusable(`There is no permission file. Name one; looked for ${places}.`)
  }
  const levels = new Map(usual)
  const wanted = [...new Set(names.length === 0 ? found : names)]
  requireFewFiles(wanted)
  return await Promise.all(
    wanted.map(async (name) => ({
      name,
      level: levels.get(path.resolve(cwd, name)) ?? guessLevel(name),
      text: new TextDecoder().decode(await readNamed({ cwd, name }, MAX_BYTES)),
    })),
  )
}

function printReport(print: Io['out'], { lines, limits }: ImportedPermissions): void {
  for (const [index, line] of lines.entries()) {
    if (line.file !== lines[index - 1]?.file) print(printable(line.file))
    print(printable(`  ${CONVERSIONS[line.conversion].padEnd(11)}  ${line.entry}`))
    print(printable(`${' '.repeat(15)}${describe(line)}`))
  }
  const counts = Object.entries(CONVERSIONS).map(
    ([name, words]) => `${lines.filter(({ conversion }) => conversion === name).length} ${words}`,
  )
  print(`${plural(lines.length, 'entry')}: ${counts.join(', ')}`)
  print('No rule covers:')
  for (const limit of limits) print(`  ${limit}`)
}

function describe({ becomes, rules }: ReportLine): string {
  return rules.length === 0 ? becomes : `${becomes} (${rules.join(', ')})`
}
