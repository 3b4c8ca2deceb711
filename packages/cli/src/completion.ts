// The script contains every command, option and choice: the shell never starts this program to complete a word.
import { Argument, type Command } from 'commander'
import type { Io } from './base/io.ts'

const SHELLS = ['bash', 'zsh', 'fish'] as const

interface Word {
  readonly name: string
  readonly description: string
  readonly words: readonly string[]
}

export function addCompletion(program: Command, io: Io): void {
  program
    .command('completion')
    .description('Print a shell completion script')
    .addArgument(new Argument('<shell>', 'Shell that loads the script').choices(SHELLS))
    .addHelpText(
      'after',
      '\nLoad the script in the startup file of the shell, such as ~/.bashrc:\n  eval "$(signalbox completion bash)"',
    )
    .action((shell: (typeof SHELLS)[number]) => io.out(SCRIPTS[shell](listCommandWords(program))))
}

function listCommandWords(program: Command): readonly Word[] {
  const help = program.createHelp()
  return help.visibleCommands(program).map((command) => ({
    name: command.name(),
    description: help.subcommandDescription(command),
    words: [
      ...command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices),
      ...command.commands.map((one) => one.name()),
      ...new Set(
        [command, ...command.commands].flatMap((one) =>
          help.visibleOptions(one).flatMap(({ long }) => long ?? []),
        ),
      ),
    ],
  }))
}

const SCRIPTS = { bash, zsh, fish } as const

function bash(words: readonly Word[]): string {
  return [
    '# eval "$(signalbox completion bash)"',
    '_signalbox() {',
    '  local words',
    `  case "$COMP_CWORD,\${COMP_WORDS[1]}" in`,
    `    1,*) words="${names(words)}" ;;`,
    ...words.map(({ name, words: after }) => `    *,${name}) words="${after.join(' ')}" ;;`),
    '  esac',
    `  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))`,
    '}',
    'complete -o default -F _signalbox signalbox',
  ].join('\n')
}

function zsh(words: readonly Word[]): string {
  return [
    '# eval "$(signalbox completion zsh)", after compinit',
    '_signalbox() {',
    '  case "$CURRENT,$words[2]" in',
    `    2,*) compadd -- ${names(words)} ;;`,
    ...words.map(
      ({ name, words: after }) => `    *,${name}) compadd -- ${after.join(' ')}; _files ;;`,
    ),
    '  esac',
    '}',
    'compdef _signalbox signalbox',
  ].join('\n')
}

function fish(words: readonly Word[]): string {
  return [
    '# signalbox completion fish | source',
    ...words.map(
      ({ name, description }) =>
        `complete -c signalbox -n __fish_use_subcommand -f -a ${name} -d '${description.replaceAll("'", '’')}'`,
    ),
    ...words.map(
      ({ name, words: after }) =>
        `complete -c signalbox -n '__fish_seen_subcommand_from ${name}' -a '${after.join(' ')}'`,
    ),
  ].join('\n')
}

function names(words: readonly Word[]): string {
  return words.map(({ name }) => name).join(' ')
}
