'use client'
import { FlaskConical, Play } from 'lucide-react'
import { Button } from '@/components/ui/button.tsx'
import { Card } from '@/components/ui/card.tsx'
import { useDemoRun } from './use-demo-run.ts'

export function DemoCard() {
  const demo = useDemoRun()
  return (
    <Card className="border-border-strong border-dashed bg-surface">
      <header className="flex min-h-9 items-center gap-2 border-border border-b px-3 py-1">
        <span className="inline-flex items-center gap-1 rounded-badge border border-border-strong border-dashed px-1.5 text-small text-text-2">
          <FlaskConical size={12} aria-hidden />
          Demo
        </span>
        <h2 className="font-semibold text-h2">See it work first</h2>
      </header>
      <div className="flex flex-col items-start gap-2.5 p-3">
        <p className="text-text-2">
          A scripted agent runs in a scratch folder for about 15 seconds. It is denied, blocked
          once, and then finishes.
        </p>
        <Button onClick={() => demo.mutate()} disabled={demo.isPending}>
          <Play size={14} aria-hidden />
          Run the demo
        </Button>
        <p className="text-small text-text-2">The demo completes no step of this page.</p>
      </div>
    </Card>
  )
}
