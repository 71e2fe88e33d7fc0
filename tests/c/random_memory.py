"""Random C programs with pointers: to scalars, into arrays, to structs, to functions, and a heap.

    python -m tests.c.random_programs --memory --seeds 0:1000

They add to the generator of `random_programs` what a pointer can do without leaving its object.
"""

from __future__ import annotations

from tests.c.random_programs import TYPES, Generator

INTEGERS = [
    "char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned",
    "long",
    "unsigned long long",
]


class MemoryGenerator(Generator):
    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.kinds: dict[str, str] = {}  # of scalars and elements of arrays
        self.helpers: list[str] = []
        self.node_kinds = [self.random.choice(INTEGERS) for _ in range(3)]
        self.of_scalar: dict[str, str] = {}  # functions that take a pointer to a type
        self.of_array: dict[str, str] = {}

    # --- what is known of names ---

    def declare(self) -> None:
        pick = self.random.random()
        known = [one for one in self.scalars if one in self.kinds]
        arrays = [one for one in self.arrays if one[0] in self.kinds]
        if pick < 0.25 and known:
            target = self.random.choice(known)
            kind, name = self.kinds[target], self.name()
            same = [one for one in known if self.kinds[one] == kind]
            other = self.random.choice(same)
            self.put(f"{kind} *{name} = ({self.value(1)}) ? &{target} : &{other};")
            self.scalars.append(f"(*{name})")
            self.kinds[f"(*{name})"] = kind
        elif pick < 0.4 and arrays:
            array, length = self.random.choice(arrays)
            kind, name, start = self.kinds[array], self.name(), self.random.randint(0, length - 1)
            self.put(f"{kind} *{name} = {self.random.choice([f'&{array}[{start}]', f'{array} + {start}'])};")
            self.arrays.append((name, length - start))
            self.kinds[name] = kind
            self.put(f"checksum += {name} - {array};")
        elif pick < 0.5:
            name, pointer = self.name(), self.name()
            self.put(f"struct s {name} = {{{self.number()}, {self.number()}}}, *{pointer} = &{name};")
            self.scalars += [f"{pointer}->a", f"{pointer}->b", f"{pointer}->c", f"{pointer}->d", f"{name}.a"]
            self.arrays.append((f"{pointer}->e", 3))
            self.kinds |= {f"{pointer}->a": "int", f"{pointer}->c": "long", f"{pointer}->e": "short"}
        elif pick < 0.57:
            name = self.name()
            self.put(f"union u {name} = {{{self.value(1)}}};")
            self.scalars += [f"{name}.i", f"{name}.h[1]"]
            self.arrays.append((f"{name}.c", 4))
        elif pick < 0.75:
            kind, name = self.random.choice(INTEGERS), self.name()
            self.put(f"{kind} {name} = {self.value(2)};")
            self.scalars.append(name)
            self.kinds[name] = kind
        elif pick < 0.88:
            kind, name, length = self.random.choice(INTEGERS), self.name(), self.random.randint(2, 5)
            values = ", ".join(self.number() for _ in range(self.random.randint(1, length)))
            self.put(f"{kind} {name}[{length}] = {{{values}}};")
            self.arrays.append((name, length))
            self.kinds[name] = kind
        else:
            super().declare()

    def statement(self, depth: int) -> None:
        pick = self.random.random()
        if pick > 0.5:
            super().statement(depth)
            return
        choices = [self.of_pointer, self.of_elements, self.of_list, self.of_function, self.of_struct]
        self.random.choice([*choices, self.of_bytes, self.of_recursion, self.of_text, self.of_heap])()

    def of_pointer(self) -> None:
        known = [one for one in self.scalars if self.kinds.get(one) in self.of_scalar]
        if known:
            one = self.random.choice(known)
            self.put(f"checksum ^= {self.of_scalar[self.kinds[one]]}(&{one}, {self.value(1)});")

    def of_elements(self) -> None:
        known = [one for one in self.arrays if self.kinds.get(one[0]) in self.of_array]
        if known:
            name, length = self.random.choice(known)
            self.put(f"checksum = checksum * 3 + {self.of_array[self.kinds[name]]}({name}, {length});")

    def of_list(self) -> None:
        value = self.value(1)
        self.put(
            self.random.choice(
                [
                    f"push({value});",
                    f"checksum += pop({value});",
                    f"checksum = checksum * 7 + walk({value});",
                    "reverse();",
                    f"if (head) head->w = {value};",
                    f"if (head && head->next) head->next->v = head->v + {value};",
                    "if (head) { struct node copy = *head; copy.v++; checksum += copy.v - head->v; }",
                    "if (head && head->next) { long t = head->v; *head = *head->next; head->v = t; }",
                ]
            )
        )

    def of_function(self) -> None:
        self.put(
            self.random.choice(
                [
                    f"act = ({self.value(1)}) ? twice : less;",
                    f"checksum += act({self.value(1)});",
                    f"if ({self.value(1)}) late = odd;",
                    f"checksum = checksum * 3 + by_late({self.value(1)});",
                    f"checksum += table[(unsigned)({self.value(1)}) % 3]({self.value(1)});",
                    f"checksum += applied(({self.value(1)}) ? less : act, {self.value(1)});",
                ]
            )
        )

    def of_struct(self) -> None:
        value = self.value(1)
        self.put(
            self.random.choice(
                [
                    f"checksum += taken(made({value}));",
                    f"checksum = checksum * 5 + made({value}).c;",
                    f"{{ struct s x = made({value}), y = x; y.a++; checksum += taken(x) * 3 + taken(y); }}",
                    f"{{ struct pair x[2] = {{{{1, {value}}}, {{3}}}}; swapped(&x[0], &x[1]);"
                    " checksum += x[0].one * 5 + x[1].other.b; }",
                ]
            )
        )

    def of_bytes(self) -> None:
        known = [one for one in self.scalars if one in self.kinds]
        if not known:
            return
        one = self.random.choice(known)
        self.put(
            self.random.choice(
                [
                    f"checksum = checksum * 5 + ((unsigned char *)&{one})[sizeof({one}) - 1];",
                    f"memset(&{one}, {self.random.randint(0, 255)}, sizeof({one}));",
                    f"{{ unsigned char b[sizeof({one})]; memcpy(b, &{one}, sizeof(b)); checksum += b[0]; }}",
                    f"{{ void *v = &{one}; *({self.kinds[one]} *)v += {self.value(1)}; }}",
                ]
            )
        )

    def of_recursion(self) -> None:
        self.put(f"checksum += deep(({self.value(1)}) & 3, {self.value(1)});")

    def of_text(self) -> None:
        self.put(
            f'checksum = checksum * 3 + text[({self.value(1)}) & 3] + "x\\x41\\0y"[({self.value(1)}) & 3];'
        )

    def of_heap(self) -> None:
        kind, length = self.random.choice(INTEGERS), self.random.randint(1, 4)
        self.put(f"{{ {kind} *m = malloc({length} * sizeof *m);")
        self.put(f"for (int i = 0; i < {length}; i++) m[i] = i * 3 + {self.number()};")
        self.put(f"checksum = checksum * 3 + m[(unsigned)({self.value(1)}) % {length}]; free(m); }}")

    # --- the program ---

    def preamble(self) -> None:
        first, second, third = self.node_kinds
        self.put("void *malloc(__SIZE_TYPE__); void free(void *);")
        self.put(
            "void *memset(void *, int, __SIZE_TYPE__); void *memcpy(void *, const void *, __SIZE_TYPE__);"
        )
        self.put("union u { int i; short h[2]; unsigned char c[4]; };")
        self.put("struct pair { int one; struct { short a, b; } other; };")
        self.put(f"struct node {{ {first} v; struct node *next; {second} w; {third} x[2]; }};")
        self.put("static struct node *head;")
        self.put("static int (*late)(int);")
        self.put("static int by_late(int x) { return late ? late(x) : x; }")
        self.put("static int odd(int x) { return x | 1; }")
        self.put("static int twice(int x) { return 2 * x; }")
        self.put("static int less(int x) { return x - 1; }")
        self.put("static int same(int x) { return x; }")
        self.put("static int (*act)(int) = twice;")
        self.put("static int (*const table[3])(int) = {less, same, twice};")
        self.put("static int applied(int (*f)(int), int x) { return f(x) + (*f)(1); }")
        self.put('static const char *text = "a\\tbc";')
        self.put(
            "static void push(int v) { struct node *n = malloc(sizeof(struct node)); n->v = v; n->w = v + 1;"
        )
        self.put("  n->x[0] = n->x[1] = v; n->next = head; head = n; }")
        self.put("static int pop(int d) { struct node *n = head; if (!n) return d; int v = n->v;")
        self.put("  head = n->next; free(n); return v; }")
        self.put("static long walk(int d) { long t = d; for (struct node *n = head; n != 0; n = n->next)")
        self.put("  { n->w += t; t = t * 3 + n->v + n->x[t & 1]; } return t; }")
        self.put("static void reverse(void) { struct node *r = 0, **end = &r; while (head) {")
        self.put("  struct node *n = head; head = n->next; n->next = r; r = n; } head = *end; }")
        self.put("static struct s made(int a) { struct s v = {a, a + 1, a * 2, a & 7, {1, a}}; return v; }")
        self.put("static long taken(struct s v) { v.a += v.e[1]; return v.a ^ v.c ^ v.d; }")
        self.put(
            "static void swapped(struct pair *x, struct pair *y) { struct pair t = *x; *x = *y; *y = t; }"
        )
        self.put("static unsigned deep(unsigned n, long x) {")
        self.put("  int here = x; int *p = &here; if (n == 0) return *p; *p += 3;")
        self.put("  unsigned r = deep(n - 1, x * 3 + *p); return r ^ here; }")
        for kind in INTEGERS:
            word = TYPES[kind]
            if self.random.random() < 0.5:
                self.of_scalar[kind] = f"set_{word}"
                self.put(
                    f"static long set_{word}({kind} *p, int x) "
                    f"{{ *p {self.random.choice('+-^')}= x; return *p; }}"
                )
            if self.random.random() < 0.5:
                self.of_array[kind] = f"sum_{word}"
                self.put(
                    f"static long sum_{word}({kind} a[], int n) {{ long t = 0; {kind} *p = a, *end = a + n;"
                )
                self.put("  while (p < end) { t = t * 3 + *p; *p++ ^= t; } return t + a[n - 1]; }")
