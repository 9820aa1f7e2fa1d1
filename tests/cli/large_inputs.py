"""Writes inputs that are large in one dimension, for the checks of budgets and
interrupts."""
import random


def write_wide(path, columns, rows):
    """y depends on two of many columns of noise."""
    numbers = random.Random(1)
    with open(path, 'w', encoding='utf-8') as file:
        file.write(','.join(f'c{i}' for i in range(columns)) + ',y\n')
        for _ in range(rows):
            row = [numbers.randrange(1000) for _ in range(columns)]
            file.write(','.join(map(str, row)) + f',{row[3] + row[5]}\n')


def write_tall(path, rows):
    numbers = random.Random(2)
    with open(path, 'w', encoding='utf-8') as file:
        file.write('a,b,y\n')
        for _ in range(rows):
            a, b = numbers.random(), numbers.random()
            file.write(f'{a:.4f},{b:.4f},{a * b + a:.5f}\n')


def write_classes(path, classes, rows):
    numbers = random.Random(3)
    with open(path, 'w', encoding='utf-8') as file:
        file.write('a,b,y\n')
        for _ in range(rows):
            file.write(f'{numbers.random():.4f},{numbers.random():.4f},'
                       f'k{numbers.randrange(classes)}\n')


def write_categories(path, columns, categories, rows):
    numbers = random.Random(4)
    with open(path, 'w', encoding='utf-8') as file:
        file.write(','.join(f'c{i}' for i in range(columns)) + ',y\n')
        for _ in range(rows):
            words = [f'v{numbers.randrange(categories)}'
                     for _ in range(columns)]
            file.write(','.join(words) + f',{numbers.random():.4f}\n')


def write_series(path, rows):
    numbers = random.Random(5)
    value = 0.0
    with open(path, 'w', encoding='utf-8') as file:
        file.write('t,y\n')
        for row in range(rows):
            value = 0.9 * value + numbers.random() - 0.5
            file.write(f'{row},{value:.4f}\n')


# Each line doubles the size of the expression as a tree, or more.
DOUBLING = ('{1}*{1}', '{1}-(b-{1}*{0})', '({1}+1)*({1}+b)-({1}-a)/({1}+2)',
            'np.sin({1})*{1}+{1}*params[{2}]', 'np.where({1}>b,{1},-{1})+{1}')


def doubling_equation(form, lines):
    text = 'def equation(a, b, params):\n    x0 = a + a\n'
    for i in range(1, lines):
        text += f'    x{i} = ' + form.format(i, f'x{i - 1}', i % 200) + '\n'
    return text + f'    return x{lines - 1}\n'
