// signalbox prove: what holds for every run that a config allows (specs/prove.md).
import type { SessionEvent } from '@signalbox/core'
import { plural } from '@signalbox/core/analysis'
import {
  type Answer,
  type ClaimState,
  describeAnswer,
  describeQuestion,
  describeTraceEvent,
  findQuestionFault,
  judgeClaim,
  MOST_UNDER_WAY,
  prove,
  type Question,
} from '@signalbox/core/prove'
import { type Claim, ClaimsV1 } from '@signalbox/wire'
import { type Command, InvalidArgumentError } from 'commander'
import { parseCheckedJson } from './base/checked-json.ts'
import type { CommandContext } from './base/command-context.ts'
import { type ConfigFile, readConfigFile } from './base/config-file.ts'
import { EXIT, formatExitCodes, Unusable } from './base/io.ts'
import { printable } from './base/printable.ts'

/** Exit code of a question that the search could not answer. */
const NOT_KNOWN = 3

interface Options {
  readonly config: string
  readonly underWay: number
  readonly seconds: number
  readonly json: boolean
}

interface RunOptions extends Options {
  readonly without?: string
  readonly since?: readonly string[]
  readonly where?: string
}

export function addProve(program: Command, context: CommandContext): void {
  const command = program
    .command('prove')
    .description('Answer a question about every run that a config allows')
    .addHelpText(
      'after',
      formatExitCodes(
        'No run does it, or every claim holds',
        'A run does it, or a claim is broken',
        'Unusable input',
        'Not known',
      ),
    )
  const answer = async (options: Options, question: Question) =>
    context.done(await answerOne(context, options, question))
  withSearch(
    command
      .command('run')
      .description('Can a tool run without another one, or where a condition holds?'),
  )
    .argument('<tool>', 'Tool, by its canonical name')
    .option('--without <tool>', 'Tool that has not succeeded')
    .option('--since <tools...>', 'With --without: not since the last success of these tools')
    .option('--where <condition>', 'CEL condition over args')
    .action((tool: string, options: RunOptions) => answer(options, toRunQuestion(tool, options)))
  withSearch(command.command('stop').description('Can a stop pass its checks without a tool?'))
    .requiredOption('--without <tool>', 'Tool that has not succeeded')
    .option('--since <tools...>', 'Not since the last success of these tools')
    .action((options: RunOptions & { readonly without: string }) =>
      answer(options, { ask: 'stop_without', needs: options.without, ...toAfter(options) }),
    )
  withSearch(
    command
      .command('trapped')
      .description('Can the agent get into a state from which no stop can pass?'),
  ).action((options: Options) => answer(options, { ask: 'trapped' }))
  withSearch(command.command('decisive').description('Does a policy alone ever refuse a call?'))
    .argument('<rule>', 'Id of the policy')
    .action((rule: string, options: Options) => answer(options, { ask: 'decisive', rule }))
  withSearch(command.command('most').description('How often can a tool run in one session?'))
    .argument('<tool>', 'Tool, by its canonical name')
    .action((tool: string, options: Options) => answer(options, { ask: 'most_calls', tool }))
  withSearch(
    command.command('more').description('Does the config allow a call that another one refuses?'),
  )
    .requiredOption('--than <file>', 'The other config')
    .action(async (options: Options & { readonly than: string }) => {
      const than = (await readConfigFile(context.io, options.than)).compiledFor('any')
      await answer(options, { ask: 'allows_more', than })
    })
  withSearch(
    command.command('claims').description('Check what must hold for every run of a config'),
  )
    .argument('<file>', 'File with claims')
    .action(async (file: string, options: Options) =>
      context.done(await checkClaims(context, file, options)),
    )
}

function withSearch(command: Command): Command {
  return command
    .requiredOption('--config <file>', 'Config file')
    .option('--under-way <calls>', 'Calls that are under way at a time, at most', parseUnderWay, 2)
    .option('--seconds <seconds>', 'Time for one question, at most', parseSeconds, 30)
    .option('--json', 'Print JSON', false)
}

function parseUnderWay(word: string): number {
  const calls = Number(word)
  if (Number.isInteger(calls) && calls >= 0 && calls <= MOST_UNDER_WAY) return calls
  throw new InvalidArgumentError(`Use a whole number from 0 to ${MOST_UNDER_WAY}.`)
}

function parseSeconds(word: string): number {
  const seconds = Number(word)
  if (seconds > 0 && seconds <= 3600) return seconds
  throw new InvalidArgumentError('Use a number up to 3600.')
}

function toAfter({ since }: Pick<RunOptions, 'since'>): { readonly after?: readonly string[] } {
  return since === undefined ? {} : { after: since }
}

function toRunQuestion(tool: string, options: RunOptions): Question {
  const { without, where } = options
  if (without !== undefined && where === undefined)
    return { ask: 'run_without', tool, needs: without, ...toAfter(options) }
  if (where !== undefined && without === undefined) return { ask: 'run_where', tool, when: where }
  throw new Unusable('Name either --without or --where.')
}

function ask(file: ConfigFile, question: Question, { underWay, seconds }: Options): Answer {
  const end = performance.now() + seconds * 1000
  // A rule of a custom type may answer in both ways.
  const config = file.compiledFor('any')
  const fault = findQuestionFault(config, question)
  if (fault !== null) throw new Unusable(fault.message)
  return prove(config, question, { underWay, isAborted: () => performance.now() > end })
}

async function answerOne(
  { io }: CommandContext,
  options: Options,
  question: Question,
): Promise<number> {
  const answer = ask(await readConfigFile(io, options.config), question, options)
  if (options.json) io.out(JSON.stringify(answer))
  else {
    io.out(printable(describeAnswer(question, answer)))
    if (answer.answer === 'trace') for (const line of listLines(answer.events)) io.out(line)
  }
  if (answer.answer === 'unknown') return NOT_KNOWN
  return answer.answer === 'never' || answer.answer === 'most' ? EXIT.clean : EXIT.findings
}

function listLines(events: readonly SessionEvent[]): readonly string[] {
  return events.map((event) => printable(`  ${event.seq}  ${describeTraceEvent(event)}`))
}

async function checkClaims(
  { io }: CommandContext,
  file: string,
  options: Options,
): Promise<number> {
  const { claims } = parseCheckedJson(ClaimsV1, file, await io.readText(file))
  const config = await readConfigFile(io, options.config)
  const judged = claims.map((claim): Judged => {
    const answer = ask(config, claim.question, options)
    return { ...claim, state: judgeClaim(claim.expect, answer), answer }
  })
  const count = (state: Judged['state']): number =>
    judged.filter((one) => one.state === state).length
  if (options.json) io.out(JSON.stringify(judged))
  else {
    for (const line of judged.flatMap(describeClaim)) io.out(line)
    const all = plural(judged.length, 'claim')
    io.out(`${all}: ${count('broken')} broken, ${count('unknown')} not known`)
  }
  if (count('broken') > 0) return EXIT.findings
  return count('unknown') > 0 ? NOT_KNOWN : EXIT.clean
}

interface Judged extends Claim {
  readonly state: ClaimState
  readonly answer: Answer
}

function describeClaim({ question, state, answer }: Judged): readonly string[] {
  const line = printable(`${state}  ${describeQuestion(question)}`)
  if (state === 'holds') return [line]
  const events = answer.answer === 'trace' ? listLines(answer.events) : []
  return [line, printable(`  ${describeAnswer(question, answer)}`), ...events]
}
