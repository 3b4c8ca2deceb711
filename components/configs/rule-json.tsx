export function RuleJson({ title, rule }: { readonly title: string; readonly rule: object }) {
  return (
    <details>
      <summary className="w-fit text-small text-text-2">{title}</summary>
      <pre className="mt-1 overflow-x-auto rounded-control bg-surface-2 p-2 text-mono">
        {JSON.stringify(rule, null, 2)}
      </pre>
    </details>
  )
}
