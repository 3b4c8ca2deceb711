// The headline numbers of a run. A number that names a class filters the list of changes.

import { countText } from '@signalbox/core/analysis'
import { cn } from '@/components/ui/class-names.ts'
import type { BacktestView } from '@/server/backtests/backtests.ts'
import type { ChangeView } from './use-change-view.ts'
import { CLASS_WORDS } from './words.ts'

export function Figures({ run, view }: { readonly run: BacktestView; readonly view: ChangeView }) {
  const classes = [
    ['would_deny', run.wouldDeny],
    ['would_allow', run.wouldAllow],
    ['would_block', run.wouldBlock],
    ['would_release', run.wouldRelease],
  ] as const
  return (
    <div className="grid grid-cols-2 gap-px border-border border-b bg-border sm:grid-cols-4 xl:grid-cols-7 [&>:last-child]:max-xl:col-span-2">
      {classes.map(([name, count]) => (
        <button
          key={name}
          type="button"
          aria-pressed={view.class === name}
          onClick={() => view.setClass(view.class === name ? null : name)}
          className="flex flex-col items-start bg-surface px-3 py-2 text-left hover:bg-row-hover aria-pressed:bg-row-selected"
        >
          <Figure value={count} isLoud={count > 0} />
          <span className="block text-small text-text-2">{CLASS_WORDS[name]}</span>
        </button>
      ))}
      <Plain value={run.unchanged} label="Unchanged" />
      <Plain value={run.cannotReplay} label="Cannot be replayed" />
      <Plain
        value={run.lateChanged + run.lateUnchanged}
        label={`After divergence, ${countText(run.lateChanged)} of them changed`}
      />
    </div>
  )
}

function Plain({ value, label }: { readonly value: number; readonly label: string }) {
  return (
    <div className="bg-surface px-3 py-2">
      <Figure value={value} isLoud={false} />
      <span className="block text-small text-text-2">{label}</span>
    </div>
  )
}

function Figure({ value, isLoud }: { readonly value: number; readonly isLoud: boolean }) {
  return (
    <span className={cn('block font-semibold text-h1 tabular-nums', !isLoud && 'text-text-2')}>
      {countText(value)}
    </span>
  )
}
